package dev.sluice.transport;

import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.impl.ConnectionBase;

/**
 * Writes the answers of an HTTP/2 connection to its socket together. Answers that come home at one
 * time belong to many streams of few connections, and each would be written by a system call of its
 * own, its trailers by another.
 */
final class Flushes {
  private Flushes() {}

  /** Joins the flushes of a connection that has just been opened. On its event loop. */
  static void join(HttpConnection connection) {
    if (connection instanceof ConnectionBase opened) {
      ChannelPipeline pipeline = opened.channelHandlerContext().pipeline();
      if (pipeline.get(Http2ConnectionHandler.class) != null) {
        pipeline.addFirst(new JoinedFlushes());
      }
    }
  }
}
