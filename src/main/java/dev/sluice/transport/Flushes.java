package dev.sluice.transport;

import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.flush.FlushConsolidationHandler;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.impl.ConnectionBase;

/**
 * Writes the answers of an HTTP/2 connection to its socket together. Answers that come home at one
 * time belong to many streams of few connections, and each would be written by a system call of its
 * own, its trailers by another.
 */
final class Flushes {
  /** Flushes that are made one at most. An answer over gRPC has two. */
  private static final int MOST_JOINED = 256;

  private Flushes() {}

  /** Joins the flushes of a connection that has just been opened. On its event loop. */
  static void join(HttpConnection connection) {
    if (connection instanceof ConnectionBase opened) {
      ChannelPipeline pipeline = opened.channelHandlerContext().pipeline();
      if (pipeline.get(Http2ConnectionHandler.class) != null) {
        // Beyond a turn's reads too: they are made up for at the end of the event loop's turn.
        pipeline.addFirst(new FlushConsolidationHandler(MOST_JOINED, true));
      }
    }
  }
}
