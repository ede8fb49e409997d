package dev.sluice.config.server;

/**
 * The transport between Netty and the system's sockets. A transport's name in settings is in lower
 * case.
 */
public enum SocketTransport {
  /** Epoll where there is one. */
  AUTO,
  EPOLL,
  IO_URING,
  /** The JDK's own, which is everywhere. */
  NIO
}
