package dev.sluice.config.server;

import dev.sluice.config.binding.Section;
import java.time.Duration;

/**
 * Limits on what requests and connections take.
 *
 * @param maxBodySize bytes of a request's body or message as it arrives
 * @param maxInflatedSize bytes of the same after decompression
 * @param offloadSize bytes from which a body is decoded, and a response encoded, on a worker
 *     thread, so that the event loop stays free: JSON takes some 3 ms for each MiB
 * @param requestTimeout deadline of requests that name none; 0s: none
 * @param idleTimeout time after which an idle connection is closed; 0s: never
 * @param maxConnections open connections of one listener; one more is closed at once; 0: no limit
 * @param cacheSize bytes of cached responses, over all models with a {@code response_cache}
 * @param maxOutputSize bytes of one output of a run, batched or not. A request whose output is
 *     larger is answered with 400
 * @param memory memory budget: bytes that all requests may hold together, arriving, queued and
 *     answered; 0: three eighths of the heap, at most a quarter of the container's memory
 * @param onnxMemory bytes that runs of ONNX models in the server's process may take together,
 *     weights not counted; 0: three quarters of what the heap, half of the network buffers, the
 *     memory budget and 160 MiB for the process leave of the container's memory. A run that wants
 *     more is answered with 429, or 400 if it never fits
 * @param connection how long one connection may keep the server waiting
 */
public record LimitsConfig(
    long maxBodySize,
    long maxInflatedSize,
    long offloadSize,
    Duration requestTimeout,
    Duration idleTimeout,
    int maxConnections,
    long cacheSize,
    long maxOutputSize,
    long memory,
    long onnxMemory,
    ConnectionConfig connection) {
  private static final long MIB = 1024 * 1024;

  public static final LimitsConfig DEFAULT =
      new LimitsConfig(64 * MIB, 64 * MIB, MIB / 2, Duration.ZERO, Duration.ofMinutes(10), 20_000);

  /** Limits with the default sizes of the cache and of outputs. */
  public LimitsConfig(
      long maxBodySize,
      long maxInflatedSize,
      long offloadSize,
      Duration requestTimeout,
      Duration idleTimeout,
      int maxConnections) {
    this(
        maxBodySize,
        maxInflatedSize,
        offloadSize,
        requestTimeout,
        idleTimeout,
        maxConnections,
        64 * MIB,
        1024 * MIB,
        0,
        0,
        ConnectionConfig.DEFAULT);
  }

  /**
   * Returns the number of bytes that all requests may hold together: what is set, or else what fits
   * this process.
   */
  public long memoryBudget() {
    return memory == 0 ? DefaultMemory.ofThisProcess() : memory;
  }

  /**
   * Returns the number of bytes that runs of ONNX models may take together: what is set, or else
   * what fits this process.
   */
  public long onnxMemoryLimit() {
    return onnxMemory == 0 ? DefaultMemory.ofRuns() : onnxMemory;
  }

  /**
   * Returns the number of bytes that open connections and their streams may take: what is set, or
   * else what fits this process.
   */
  public long connectionMemory() {
    return connection.connectionMemory() == 0
        ? DefaultMemory.ofConnections()
        : connection.connectionMemory();
  }

  /** Bytes. A body is held in one buffer, and a buffer's length is 31 bits. */
  private static final long LARGEST = 2048 * MIB - MIB;

  private static final long LARGEST_CACHE = 1L << 40;

  private static final long LARGEST_MEMORY = 1L << 44;

  private static final int MOST_CONNECTIONS = 1_000_000;

  /** Reads the settings of limits. */
  public static LimitsConfig read(Section limits) {
    return new LimitsConfig(
        limits.size("max_body_size", DEFAULT.maxBodySize, 1, LARGEST),
        limits.size("max_inflated_size", DEFAULT.maxInflatedSize, 1, LARGEST),
        limits.size("offload_size", DEFAULT.offloadSize, 0, LARGEST),
        limits.duration("request_timeout", DEFAULT.requestTimeout),
        limits.duration("idle_timeout", DEFAULT.idleTimeout),
        limits.number("max_connections", DEFAULT.maxConnections, 0, MOST_CONNECTIONS),
        limits.size("cache_size", DEFAULT.cacheSize, 0, LARGEST_CACHE),
        limits.size("max_output_size", DEFAULT.maxOutputSize, 1, LARGEST_MEMORY),
        limits.size("memory", DEFAULT.memory, 0, LARGEST_MEMORY),
        limits.size("onnx_memory", DEFAULT.onnxMemory, 0, LARGEST_MEMORY),
        ConnectionConfig.read(limits));
  }
}
