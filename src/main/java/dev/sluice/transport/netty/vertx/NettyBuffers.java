package dev.sluice.transport.netty.vertx;

import io.netty.buffer.ByteBuf;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.buffer.BufferInternal;

/** Vert.x' buffers as Netty's, and the other way round. Zero-copy; any thread. */
public final class NettyBuffers {
  private NettyBuffers() {}

  /** Returns the bytes behind a buffer, which stay the buffer's. */
  public static ByteBuf bytes(Buffer buffer) {
    return ((BufferInternal) buffer).getByteBuf();
  }

  /** Returns a buffer over bytes, which are not to be changed any more. */
  public static Buffer buffer(ByteBuf bytes) {
    return BufferInternal.buffer(bytes);
  }
}
