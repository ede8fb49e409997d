package dev.sluice.protocol.oip;

import dev.sluice.inference.access.Caller;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Regions of shared memory in a folder of one file, {@code region} with 64 bytes, beside which are
 * a folder, a link out of it, and a semaphore.
 */
public final class FuzzedRegions {
  private static final int SIZE = 64;

  private final SharedMemoryRegions regions;

  public FuzzedRegions() {
    try {
      Path temp = Files.createTempDirectory("sluice-fuzz");
      Path folder = Files.createDirectories(temp.resolve("shm"));
      Files.createDirectories(folder.resolve("folder"));
      Path secret = Files.write(temp.resolve("secret"), new byte[SIZE]);
      Files.createSymbolicLink(folder.resolve("link"), secret);
      Files.write(folder.resolve("sem.one"), new byte[SIZE]);
      Files.write(folder.resolve("region"), new byte[SIZE]);
      regions = SharedMemoryRegions.in(folder, 2, Duration.ofHours(1), () -> 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the regions. */
  public SharedMemoryRegions regions() {
    return regions;
  }

  /** Returns the one region that is registered, which is a part of the file. */
  public List<SharedMemoryRegion> requirePart(String name) {
    List<SharedMemoryRegion> found = regions.status(Caller.SERVER, name);
    SharedMemoryRegion region = found.getFirst();
    boolean isPart =
        region.offset() >= 0
            && region.byteSize() > 0
            && region.offset() + region.byteSize() <= SIZE
            && region.key().matches("/?region");
    if (found.size() != 1 || !isPart) {
      throw new AssertionError("no part of the file: " + found);
    }
    return found;
  }

  /** Unregisters all. */
  public void clear() {
    regions.unregisterAll(Caller.SERVER);
  }
}
