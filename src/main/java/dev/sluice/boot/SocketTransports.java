package dev.sluice.boot;

import dev.sluice.config.server.SocketTransport;
import io.vertx.core.transport.Transport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Chooses how the server talks to sockets.
 *
 * <p>Native epoll is preferred on Linux; where the choice of the settings is not to be had, the
 * JDK's own transport is taken and one line logged.
 */
final class SocketTransports {
  private static final Logger LOG = LoggerFactory.getLogger(SocketTransports.class);

  private SocketTransports() {}

  /**
   * Returns the one asked for, or the JDK's own and a line in the log if that is not to be had
   * here.
   */
  static Transport choose(SocketTransport wanted) {
    return switch (wanted) {
      case AUTO -> orNio("epoll", Transport.nativeTransport(), false);
      case EPOLL -> orNio("epoll", Transport.EPOLL, true);
      case IO_URING -> orNio("io_uring", Transport.IO_URING, true);
      case NIO -> Transport.NIO;
    };
  }

  static Transport orNio(String name, @Nullable Transport wanted, boolean asked) {
    if (wanted != null && wanted.available()) {
      return wanted;
    }
    if (asked) {
      Throwable cause = wanted == null ? null : wanted.unavailabilityCause();
      LOG.warn(
          "the transport {} cannot be used here, nio is used: {}",
          name,
          cause == null ? "it is not on the class path" : String.valueOf(cause.getMessage()));
    }
    return Transport.NIO;
  }
}
