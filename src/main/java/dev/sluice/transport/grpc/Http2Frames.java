package dev.sluice.transport.grpc;

import dev.sluice.transport.netty.http2.Http2Memory;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersEncoder;
import io.netty.handler.codec.http2.Http2Stream;

/**
 * Writes frames to a connection, and sends what was written in one turn of its event loop together.
 * On that event loop.
 */
final class Http2Frames {
  private final Http2ConnectionHandler handler;
  private final ChannelHandlerContext ctx;
  private final Http2HeadersEncoder table;
  private boolean flushing;

  Http2Frames(Http2ConnectionHandler handler, ChannelHandlerContext ctx) {
    this.handler = handler;
    this.ctx = ctx;
    // Netty's encoder is its own configuration; a connection has one, since it keeps a table.
    this.table = (Http2HeadersEncoder) handler.encoder().configuration().headersConfiguration();
  }

  Http2Connection connection() {
    return handler.connection();
  }

  /** Returns whether anything that is written can still be sent. */
  boolean isOpen() {
    return ctx.channel().isActive();
  }

  /** Sends a good answer with this message, and takes the message over. */
  void answer(Http2Stream stream, ByteBuf message, Http2Headers trailers) {
    var answer = new UnaryResponseFrames(this, stream, message, trailers);
    handler.encoder().flowController().addFlowControlled(stream, answer);
    flushSoon();
  }

  /**
   * Sends an answer that is nothing but headers. A client that is still sending its message is
   * asked to stop, without an error (RFC 9113, section 8.1).
   */
  void end(Http2Stream stream, Http2Headers headers) {
    var _ = handler.encoder().writeHeaders(ctx, stream.id(), headers, 0, true, ctx.voidPromise());
    if (stream.state().remoteSideOpen()) {
      long code = Http2Error.NO_ERROR.code();
      var _ = handler.encoder().writeRstStream(ctx, stream.id(), code, ctx.newPromise());
    }
    flushSoon();
  }

  /** Lets the client of a stream, if it is still open, send so many bytes more. */
  void giveWindow(Http2Stream stream, int bytes) {
    try {
      if (connection().stream(stream.id()) != null
          && handler.decoder().flowController().consumeBytes(stream, bytes)) {
        flushSoon();
      }
    } catch (Http2Exception e) {
      throw new IllegalStateException("no more is given back than was taken", e);
    }
  }

  /** Calls charge so many bytes more, or fewer, of those that they have not consumed. */
  void chargedByCall(int bytes) {
    Http2Memory memory = Http2Memory.of(ctx.channel());
    if (memory != null) {
      memory.chargedElsewhere(bytes);
    }
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

  /** Returns the number of bytes of a frame that the client takes at most. */
  int maxSize() {
    return handler.encoder().configuration().frameSizePolicy().maxFrameSize();
  }

  /** Encodes headers, which must be written before any later ones are encoded. */
  void encode(Http2Stream stream, Http2Headers headers, ByteBuf out) {
    try {
      table.encodeHeaders(stream.id(), headers, out);
    } catch (Http2Exception e) {
      throw new IllegalStateException("the client takes no headers of this size", e);
    }
  }

  /** Called when all frames of a stream are written, which the future says of the last one. */
  void ended(Http2Stream stream, ChannelFuture last) {
    handler.closeStreamLocal(stream, last);
  }

  /** Frames of a stream could not be written. */
  void failed(ChannelHandlerContext at, Throwable cause) {
    handler.onError(at, true, cause);
  }
}
