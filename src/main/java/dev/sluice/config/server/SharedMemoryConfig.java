package dev.sluice.config.server;

import dev.sluice.config.binding.Section;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Shared memory: whether tensors may lie in files that clients on the same machine hand over.
 *
 * @param enabled whether callers with the role {@code shared_memory} on the same machine may
 *     register regions of shared memory, and name them in V2 requests
 * @param directory folder of the files that may be registered; the server makes none
 * @param maxRegions number of regions that may be registered at once
 * @param idleTimeout time after which a region that no request names is forgotten
 */
public record SharedMemoryConfig(
    boolean enabled, Path directory, int maxRegions, Duration idleTimeout) {
  public static final SharedMemoryConfig DEFAULT =
      new SharedMemoryConfig(false, Path.of("/dev/shm"), 256, Duration.ofHours(1));

  private static final int MOST_REGIONS = 65_536;

  static SharedMemoryConfig read(Section shared) {
    return new SharedMemoryConfig(
        shared.flag("enabled", DEFAULT.enabled),
        Path.of(shared.text("directory", DEFAULT.directory.toString())),
        shared.number("max_regions", DEFAULT.maxRegions, 1, MOST_REGIONS),
        shared.duration("idle_timeout", DEFAULT.idleTimeout));
  }
}
