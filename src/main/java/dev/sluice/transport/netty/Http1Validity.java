package dev.sluice.transport.netty;

import dev.sluice.transport.connection.MalformedRequest;
import dev.sluice.transport.connection.RequestTarget;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.ReferenceCountUtil;
import io.vertx.core.http.HttpConnection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds what the decoder of HTTP/1.1 lets through and a proxy in front may read otherwise: transfer
 * codings beside {@code chunked}, characters that no target has, unknown versions. Such a request,
 * and one that the decoder could not read, goes on as a failed one with a text for its client;
 * nothing behind it does. On the connection's event loop.
 */
public final class Http1Validity extends ChannelInboundHandlerAdapter {
  private boolean malformed;

  private Http1Validity() {}

  /** Looks at a connection that has just been opened, before all others that see its messages. */
  public static void join(HttpConnection connection) {
    ConnectionInternals.http1(connection)
        .ifPresent(vertx -> vertx.pipeline().addBefore(vertx.name(), null, new Http1Validity()));
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (malformed) {
      ReferenceCountUtil.release(message);
    } else if (message instanceof HttpRequest request) {
      MalformedRequest problem = problem(request);
      ctx.fireChannelRead(problem == null ? request : failed(ctx, problem));
    } else {
      if (message instanceof HttpContent content && content.decoderResult().isFailure()) {
        broken(ctx);
        Throwable cause = content.decoderResult().cause();
        content.setDecoderResult(DecoderResult.failure(MalformedRequest.body(cause)));
      }
      ctx.fireChannelRead(message);
    }
  }

  private void broken(ChannelHandlerContext ctx) {
    malformed = true;
    LingeringClose.linger(ctx.channel());
  }

  /** In place of a request of which the decoder may have made up a part. */
  private HttpRequest failed(ChannelHandlerContext ctx, MalformedRequest problem) {
    broken(ctx);
    var request = new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, "/malformed");
    request.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    request.setDecoderResult(DecoderResult.failure(problem));
    return request;
  }

  /** Returns what is wrong with a request; null if it is to be answered. */
  static @Nullable MalformedRequest problem(HttpRequest request) {
    if (request.decoderResult().isFailure()) {
      return MalformedRequest.head(request.decoderResult().cause());
    }
    HttpVersion version = request.protocolVersion();
    if (!version.equals(HttpVersion.HTTP_1_1) && !version.equals(HttpVersion.HTTP_1_0)) {
      return new MalformedRequest(
          MalformedRequest.VERSION_NOT_SUPPORTED,
          "HTTP version %d.%d is not supported; wanted 1.1, or 2 with its preface"
              .formatted(version.majorVersion(), version.minorVersion()));
    }
    if (request.headers().contains("")) {
      return new MalformedRequest(MalformedRequest.BAD_REQUEST, "a header has no name");
    }
    int odd = RequestTarget.firstOdd(request.uri());
    return odd >= 0
        ? new MalformedRequest(
            MalformedRequest.BAD_REQUEST,
            "the target of the request has character 0x%02x at position %d"
                .formatted((int) request.uri().charAt(odd), odd))
        : transferProblem(request.headers());
  }

  /** Folded values, which begin or end with a space, are none that everyone reads alike either. */
  private static @Nullable MalformedRequest transferProblem(HttpHeaders headers) {
    String coding = headers.get(HttpHeaderNames.TRANSFER_ENCODING);
    if (coding == null) {
      return null;
    }
    List<String> all = headers.getAll(HttpHeaderNames.TRANSFER_ENCODING);
    return all.size() == 1 && HttpHeaderValues.CHUNKED.contentEqualsIgnoreCase(coding)
        ? null
        : new MalformedRequest(
            MalformedRequest.NOT_IMPLEMENTED,
            "Transfer-Encoding is '%s'; wanted chunked and no other coding"
                .formatted(String.join(", ", all)));
  }
}
