package dev.sluice.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.buffer.BufferInternal;

/** Vert.x buffers over bytes that exist already. */
public final class Buffers {
  private Buffers() {}

  /** A buffer over a range of an array, which is not to be changed any more. No copy. */
  public static Buffer wrap(byte[] bytes, int offset, int length) {
    return BufferInternal.buffer(Unpooled.wrappedBuffer(bytes, offset, length));
  }

  /** A buffer that is several, one behind the other. No copy. */
  public static Buffer join(Buffer... parts) {
    var joined = new ByteBuf[parts.length];
    for (int i = 0; i < parts.length; i++) {
      joined[i] = ((BufferInternal) parts[i]).getByteBuf();
    }
    return BufferInternal.buffer(Unpooled.wrappedBuffer(joined));
  }
}
