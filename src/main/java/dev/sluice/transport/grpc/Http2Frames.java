package dev.sluice.transport.grpc;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Stream;

/**
 * Writes frames to a connection, and sends what was written in one turn of its event loop together.
 * On that event loop.
 */
final class Http2Frames {
  private final Http2ConnectionHandler handler;
  private final ChannelHandlerContext ctx;
  private boolean flushing;

  Http2Frames(Http2ConnectionHandler handler, ChannelHandlerContext ctx) {
    this.handler = handler;
    this.ctx = ctx;
  }

  Http2Connection connection() {
    return handler.connection();
  }

  ByteBufAllocator alloc() {
    return ctx.alloc();
  }

  void headers(Http2Stream stream, Http2Headers headers, boolean last) {
    var _ = handler.encoder().writeHeaders(ctx, stream.id(), headers, 0, last, ctx.voidPromise());
    flushSoon();
  }

  /** Takes the bytes over. */
  void data(Http2Stream stream, ByteBuf bytes) {
    var _ = handler.encoder().writeData(ctx, stream.id(), bytes, 0, false, ctx.voidPromise());
    flushSoon();
  }

  private void flushSoon() {
    if (!flushing) {
      flushing = true;
      ctx.executor().execute(this::flush);
    }
  }

  private void flush() {
    flushing = false;
    handler.flush(ctx);
  }
}
