package dev.sluice.transport.netty;

import io.netty.channel.ChannelPipeline;
import io.vertx.core.http.HttpConnection;

/**
 * Flush coalescing: writes to a socket once what one turn of an event loop has for it, where that
 * is more than one answer; each would be written by a system call of its own. On the connection's
 * event loop.
 */
public final class FlushCoalescing {
  private FlushCoalescing() {}

  /**
   * Joins the flushes of a connection that has just been opened if it speaks HTTP/2: answers that
   * reach their event loop at one time belong to many streams of few connections.
   */
  public static void join(HttpConnection connection) {
    if (ConnectionInternals.http2(connection).isPresent()) {
      pipeline(connection).addFirst(new FlushCoalescingHandler());
    }
  }

  /** Joins the flushes of a connection that has an answer in pieces, from now on. */
  public static void joinPieces(HttpConnection connection) {
    ChannelPipeline pipeline = pipeline(connection);
    if (pipeline.get(FlushCoalescingHandler.class) == null) {
      pipeline.addFirst(new FlushCoalescingHandler());
    }
  }

  private static ChannelPipeline pipeline(HttpConnection connection) {
    return ConnectionInternals.context(connection).pipeline();
  }
}
