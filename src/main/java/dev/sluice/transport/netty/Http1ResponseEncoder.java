package dev.sluice.transport.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.impl.headers.Http1xHeaders;
import java.util.List;

/**
 * Encodes an HTTP/1.1 answer whose body is not large into one buffer. Netty makes the buffer of a
 * head as large as the heads before it were; a body that does not fit becomes a second one, which
 * is copied out of the Java heap anyway, and has a promise and a place in the write of its own. On
 * the connection's event loop.
 */
public final class Http1ResponseEncoder extends HttpResponseEncoder {
  /** Bytes of a body that is written with its head. */
  private static final int LARGEST = 64 * 1024;

  /** Bytes of a head, as a rule. */
  private static final int HEAD = 256;

  /** Bytes of the body whose head is encoded now. */
  private int body;

  /** Takes the place of Vert.x' encoder on a connection that has just been opened. */
  public static void join(HttpConnection connection) {
    ConnectionInternals.http1(connection)
        .ifPresent(vertx ->
            vertx.pipeline().replace(HttpResponseEncoder.class, null, new Http1ResponseEncoder()));
  }

  @Override
  protected void encode(ChannelHandlerContext ctx, Object message, List<Object> out)
      throws Exception {
    body = message instanceof FullHttpResponse full ? full.content().readableBytes() : 0;
    super.encode(ctx, message, out);
  }

  @Override
  protected void encodeHeaders(HttpHeaders headers, ByteBuf buffer) {
    if (body > 0 && body <= LARGEST) {
      buffer.ensureWritable(HEAD + body);
    }
    if (headers instanceof Http1xHeaders vertx) {
      vertx.encode(buffer, false);
    } else {
      super.encodeHeaders(headers, buffer);
    }
  }
}
