package dev.sluice.config;

import java.time.Duration;

/**
 * How long one connection may keep the server waiting. Part of {@link LimitsConfig}.
 *
 * @param mostOfPeer open connections of one address; 0: any number
 * @param headerTimeout from its accept, with TLS, to the head of its first request, and from the
 *     first byte of each later head to its last; zero: for ever
 * @param minUploadRate bytes a second of a request's body, on average of each span of {@code
 *     headerTimeout}; 0: as slow as the client likes
 * @param writeTimeout how long bytes of an answer may wait for a client that takes none; zero: for
 *     ever
 */
public record ConnectionConfig(
    int mostOfPeer, Duration headerTimeout, long minUploadRate, Duration writeTimeout) {
  public static final ConnectionConfig DEFAULT =
      new ConnectionConfig(0, Duration.ofSeconds(30), 1024, Duration.ofMinutes(1));

  private static final int MOST = 1_000_000;
  private static final long FASTEST = 1L << 30;

  static ConnectionConfig read(Section limits) {
    return new ConnectionConfig(
        limits.number("max_connections_per_peer", DEFAULT.mostOfPeer, 0, MOST),
        limits.duration("header_timeout", DEFAULT.headerTimeout),
        limits.size("min_upload_rate", DEFAULT.minUploadRate, 0, FASTEST),
        limits.duration("write_timeout", DEFAULT.writeTimeout));
  }
}
