package dev.sluice.transport.netty;

import io.netty.channel.ChannelHandler;
import io.vertx.core.Context;

/**
 * A protocol other than HTTP on the same port, found by protocol detection. Belongs to one event
 * loop.
 */
public interface DetectedProtocol {
  /**
   * Returns the first bytes by which clients of the protocol are detected; no HTTP client sends
   * them.
   */
  byte[] firstBytes();

  /**
   * Makes the handler of a new connection. It is given all bytes, the first ones too, and a {@link
   * io.vertx.core.net.impl.ShutdownEvent} when the listener closes.
   *
   * @param context the connection's, on whose event loop the handler runs
   * @param whole to be run whenever something that the client sends is whole: what is not so for
   *     too long ends the connection
   */
  ChannelHandler open(Context context, Runnable whole);
}
