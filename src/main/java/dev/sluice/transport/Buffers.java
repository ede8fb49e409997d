package dev.sluice.transport;

import dev.sluice.transport.netty.vertx.NettyBuffers;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.vertx.core.buffer.Buffer;
import java.nio.ByteBuffer;

/**
 * Vert.x buffers over bytes that exist already.
 *
 * <p>Zero-copy: wraps arrays and slices that are not changed afterwards. What has to be copied says
 * so in its name.
 */
public final class Buffers {
  private Buffers() {}

  /** Returns a buffer over an array, which is not to be changed any more. No copy. */
  public static Buffer wrap(byte[] bytes) {
    return wrap(bytes, 0, bytes.length);
  }

  /** Returns a buffer over a range of an array, which is not to be changed any more. No copy. */
  public static Buffer wrap(byte[] bytes, int offset, int length) {
    return NettyBuffers.buffer(Unpooled.wrappedBuffer(bytes, offset, length));
  }

  /** Returns a buffer over a copy of bytes. */
  static Buffer copy(ByteBuf bytes) {
    byte[] copy = new byte[bytes.readableBytes()];
    bytes.getBytes(bytes.readerIndex(), copy);
    return wrap(copy);
  }

  /**
   * Returns the bytes of a buffer that is not to be changed any more. No copy if they lie in an
   * array.
   */
  public static Body body(Buffer buffer) {
    ByteBuf bytes = NettyBuffers.bytes(buffer);
    return bytes.hasArray()
        ? new Body(bytes.array(), bytes.arrayOffset() + bytes.readerIndex(), bytes.readableBytes())
        : Body.of(buffer.getBytes());
  }

  /** Returns a copy of what is behind the first bytes. */
  public static Body behind(ByteBuf bytes, int first) {
    byte[] copy = new byte[bytes.readableBytes() - first];
    bytes.getBytes(bytes.readerIndex() + first, copy);
    return Body.of(copy);
  }

  /** Returns a view of a buffer's bytes. */
  static ByteBuffer view(Buffer buffer) {
    return NettyBuffers.bytes(buffer).nioBuffer();
  }

  /** Returns a buffer that is several, one behind the other. No copy. */
  public static Buffer join(Buffer... parts) {
    var joined = new ByteBuf[parts.length];
    for (int i = 0; i < parts.length; i++) {
      joined[i] = NettyBuffers.bytes(parts[i]);
    }
    return NettyBuffers.buffer(Unpooled.wrappedBuffer(joined));
  }
}
