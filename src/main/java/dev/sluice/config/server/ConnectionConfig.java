package dev.sluice.config.server;

import dev.sluice.config.binding.Section;
import java.time.Duration;

/**
 * Limits of connections: how much they may take, and how long a client may keep the server waiting.
 * Part of {@link LimitsConfig}.
 *
 * @param connectionMemory bytes on the heap that the open connections of all listeners, with 8 KiB
 *     each, and their open HTTP/2 streams, with as much, may take together; 0: a quarter of the
 *     heap. One connection more is closed at once, one stream more is reset with REFUSED_STREAM
 * @param maxConnectionsPerPeer open connections of one client address and listener; 0: no limit, as
 *     behind a proxy, whose clients share an address
 * @param maxHeaderFields headers of one request, its trailers counted; one more is answered 431
 * @param headerTimeout time from the accept of a connection to the head of its first request, and
 *     for each later head; 0s: no limit
 * @param minUploadRate bytes a second of a request's body, on average of each span of {@code
 *     header_timeout}; 0: no limit
 * @param writeTimeout time after which a connection or stream is closed whose client reads nothing
 *     of its response; 0s: never
 */
public record ConnectionConfig(
    long connectionMemory,
    int maxConnectionsPerPeer,
    int maxHeaderFields,
    Duration headerTimeout,
    long minUploadRate,
    Duration writeTimeout) {
  public static final ConnectionConfig DEFAULT =
      new ConnectionConfig(0, 0, 100, Duration.ofSeconds(30), 1024, Duration.ofMinutes(1));

  private static final int MOST = 1_000_000;
  private static final int MOST_FIELDS = 10_000;
  private static final long FASTEST = 1L << 30;
  private static final long LARGEST_MEMORY = 1L << 44;

  static ConnectionConfig read(Section limits) {
    return new ConnectionConfig(
        limits.size("connection_memory", DEFAULT.connectionMemory, 0, LARGEST_MEMORY),
        limits.number("max_connections_per_peer", DEFAULT.maxConnectionsPerPeer, 0, MOST),
        limits.number("max_header_fields", DEFAULT.maxHeaderFields, 16, MOST_FIELDS),
        limits.duration("header_timeout", DEFAULT.headerTimeout),
        limits.size("min_upload_rate", DEFAULT.minUploadRate, 0, FASTEST),
        limits.duration("write_timeout", DEFAULT.writeTimeout));
  }
}
