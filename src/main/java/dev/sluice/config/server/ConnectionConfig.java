package dev.sluice.config.server;

import dev.sluice.config.binding.Section;
import java.time.Duration;

/**
 * Time limits of a connection: how long a client may keep the server waiting. Part of {@link
 * LimitsConfig}.
 *
 * @param maxConnectionsPerPeer open connections of one client address and listener; 0: no limit, as
 *     behind a proxy, whose clients share an address
 * @param headerTimeout time from the accept of a connection to the head of its first request, and
 *     for each later head; 0s: no limit
 * @param minUploadRate bytes a second of a request's body, on average of each span of {@code
 *     header_timeout}; 0: no limit
 * @param writeTimeout time after which a connection or stream is closed whose client reads nothing
 *     of its response; 0s: never
 */
public record ConnectionConfig(
    int maxConnectionsPerPeer, Duration headerTimeout, long minUploadRate, Duration writeTimeout) {
  public static final ConnectionConfig DEFAULT =
      new ConnectionConfig(0, Duration.ofSeconds(30), 1024, Duration.ofMinutes(1));

  private static final int MOST = 1_000_000;
  private static final long FASTEST = 1L << 30;

  static ConnectionConfig read(Section limits) {
    return new ConnectionConfig(
        limits.number("max_connections_per_peer", DEFAULT.maxConnectionsPerPeer, 0, MOST),
        limits.duration("header_timeout", DEFAULT.headerTimeout),
        limits.size("min_upload_rate", DEFAULT.minUploadRate, 0, FASTEST),
        limits.duration("write_timeout", DEFAULT.writeTimeout));
  }
}
