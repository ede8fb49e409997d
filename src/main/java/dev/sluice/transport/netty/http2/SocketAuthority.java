package dev.sluice.transport.netty.http2;

import dev.sluice.transport.netty.ConnectionInternals;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2FrameListener;
import io.netty.handler.codec.http2.Http2Headers;
import io.vertx.core.http.HttpConnection;

/**
 * Gives the requests of a Unix domain socket a host. gRPC's clients send the socket's path as the
 * authority, as it is or percent-encoded; Vert.x takes that for no host and refuses the request, or
 * closes the connection.
 */
public final class SocketAuthority extends Http2Heads {
  private static final String HOST = "localhost";

  private SocketAuthority(Http2FrameListener listener) {
    super(listener);
  }

  /** Looks after a connection that has just been opened. On its event loop. */
  public static void join(HttpConnection connection) {
    ConnectionInternals.http2(connection)
        .map(Http2ConnectionHandler::decoder)
        .ifPresent(decoder -> decoder.frameListener(new SocketAuthority(decoder.frameListener())));
  }

  @Override
  protected Http2Headers headRead(int streamId, Http2Headers headers, boolean end) {
    if (headers.authority() == null) {
      return headers;
    }
    // Equal to the authority as it was sent, or the stream would have been reset.
    headers.remove(HttpHeaderNames.HOST);
    return headers.authority(HOST);
  }
}
