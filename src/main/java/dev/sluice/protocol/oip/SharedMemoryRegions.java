package dev.sluice.protocol.oip;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.access.Caller;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;

/**
 * The regions of shared memory that callers have registered. Each caller sees those of its own
 * identity. Owner of their files. Any thread; {@link #register} may block.
 */
public final class SharedMemoryRegions {
  /** A file of a folder, and of none below it; POSIX wants one slash in front. */
  private static final Pattern KEY = Pattern.compile("/?(?!\\.{1,2}$)[^/\\x00]{1,255}");

  /** Files that other code of the machine has in the same folder: this server's own, semaphores. */
  private static final Pattern OF_OTHERS =
      Pattern.compile("/?(sluice-\\d+-[0-9a-f-]{36}|sem\\..*)");

  private static final int LONGEST_NAME = 1_024;

  private final Path folder;
  private final int most;
  private final long idleNanos;
  private final LongSupplier nanoTime;
  private final Map<Id, SharedMemoryRegion> regions = new ConcurrentHashMap<>();
  private volatile long largest;

  private record Id(String identity, String name) {}

  private SharedMemoryRegions(Path folder, int most, Duration idle, LongSupplier nanoTime) {
    this.folder = folder;
    this.most = most;
    this.idleNanos = idle.toNanos();
    this.nanoTime = nanoTime;
  }

  /**
   * Serves the files of a folder.
   *
   * @param most regions at once
   * @param idle how long a region is kept that no request names
   */
  public static SharedMemoryRegions in(
      Path folder, int most, Duration idle, LongSupplier nanoTime) {
    return new SharedMemoryRegions(folder, most, idle, nanoTime);
  }

  /** Returns how many bytes a request may have there at most, as far as is known. */
  public long largest() {
    return largest;
  }

  /**
   * Registers a part of a file under a name.
   *
   * @param key the file's name
   * @throws InferenceException with INVALID_ARGUMENT if there is no such file or part, or the name
   *     is taken; RESOURCE_EXHAUSTED if there are too many regions
   */
  public void register(Caller caller, String name, String key, long offset, long byteSize) {
    forgetIdle();
    if (name.isEmpty() || name.length() > LONGEST_NAME) {
      throw InferenceException.invalid(
          "a shared memory region needs a name of 1 to " + LONGEST_NAME + " characters");
    }
    var id = new Id(caller.identity(), name);
    if (regions.containsKey(id)) {
      throw taken(name);
    }
    var region =
        new SharedMemoryRegion(name, key, offset, byteSize, open(key), nanoTime.getAsLong());
    try {
      requireFile(region);
      add(caller, id, region);
    } catch (RuntimeException e) {
      region.leave();
      throw e;
    }
  }

  private synchronized void add(Caller caller, Id id, SharedMemoryRegion region) {
    if (regions.size() >= most) {
      throw InferenceException.busy(
          "there are %d shared memory regions, which is the limit (setting oip.shared_memory.max_regions)"
              .formatted(most),
          Duration.ofSeconds(1));
    }
    int share = Math.max(1, (int) (most * caller.share()));
    if (caller.share() < 1 && count(id.identity()) >= share) {
      throw InferenceException.busy(
          "'%s' has %d shared memory regions, the share of one identity (settings security.share, oip.shared_memory.max_regions)"
              .formatted(id.identity(), share),
          Duration.ofSeconds(1));
    }
    if (regions.putIfAbsent(id, region) != null) {
      throw taken(id.name());
    }
    largest = Math.max(largest, region.byteSize());
  }

  private long count(String identity) {
    return regions.keySet().stream().filter(id -> id.identity().equals(identity)).count();
  }

  private static InferenceException taken(String name) {
    return InferenceException.invalid(
        "shared memory region '" + Excerpt.of(name) + "' already in manager");
  }

  /** Opens a file that exists, and is neither a link nor anything else than a file. */
  private FileChannel open(String key) {
    if (!KEY.matcher(key).matches()) {
      throw unable(key, "wanted the name of a file in " + folder);
    }
    if (OF_OTHERS.matcher(key).matches()) {
      throw unable(key, "it is no region of a client");
    }
    try {
      Path file = folder.resolve(key.startsWith("/") ? key.substring(1) : key);
      if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
        throw new NoSuchFileException(key);
      }
      if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
        throw unable(key, "it is no plain file");
      }
      return FileChannel.open(
          file, StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
    } catch (NoSuchFileException | InvalidPathException e) {
      // Where the locale is not UTF-8, most letters cannot be in a file's name.
      throw unable(key, "there is no such file");
    } catch (IOException e) {
      throw unable(key, "the server may not read and write it");
    }
  }

  private static InferenceException unable(String key, String why) {
    return InferenceException.invalid(
        "Unable to open shared memory region: '" + Excerpt.of(key) + "': " + why);
  }

  private static void requireFile(SharedMemoryRegion region) {
    long size;
    try {
      size = region.fileSize();
    } catch (IOException e) {
      throw unable(region.key(), "its size cannot be read");
    }
    boolean fits =
        region.offset() >= 0
            && region.byteSize() > 0
            && region.byteSize() <= size
            && region.offset() <= size - region.byteSize();
    if (!fits) {
      throw InferenceException.invalid(
          "Invalid offset + byte size for shared memory region: '%s': got offset %s and %s bytes, the file '%s' has %d"
              .formatted(
                  Excerpt.of(region.name()),
                  Long.toUnsignedString(region.offset()),
                  Long.toUnsignedString(region.byteSize()),
                  Excerpt.of(region.key()),
                  size));
    }
  }

  /** Unregisters a region. Idempotent: succeeds if there is none of this name. */
  public void unregister(Caller caller, String name) {
    forget(new Id(caller.identity(), name));
  }

  /** Unregisters all regions of the caller. Idempotent. */
  public void unregisterAll(Caller caller) {
    for (Id id : regions.keySet()) {
      if (id.identity().equals(caller.identity())) {
        forget(id);
      }
    }
  }

  private void forget(Id id) {
    SharedMemoryRegion region = regions.remove(id);
    if (region != null) {
      largest = regions.values().stream().mapToLong(SharedMemoryRegion::byteSize).max().orElse(0);
      region.leave();
    }
  }

  private void forgetIdle() {
    long now = nanoTime.getAsLong();
    regions.forEach((id, region) -> {
      if (now - region.usedNanos() > idleNanos) {
        forget(id);
      }
    });
  }

  /** Forgets all regions: the server stops. */
  public void close() {
    regions.keySet().forEach(this::forget);
  }

  /**
   * Returns the caller's regions by their names.
   *
   * @param name of the only one that is wanted; empty for all
   * @throws InferenceException with NOT_FOUND if there is none of this name
   */
  public List<SharedMemoryRegion> status(Caller caller, String name) {
    forgetIdle();
    List<SharedMemoryRegion> found = new ArrayList<>();
    regions.forEach((id, region) -> {
      if (id.identity().equals(caller.identity()) && (name.isEmpty() || id.name().equals(name))) {
        found.add(region);
      }
    });
    if (found.isEmpty() && !name.isEmpty()) {
      throw new InferenceException(
          ErrorCode.NOT_FOUND,
          "Unable to find system shared memory region: '" + Excerpt.of(name) + "'");
    }
    found.sort(Comparator.comparing(SharedMemoryRegion::name));
    return found;
  }

  /**
   * Returns the caller's region of a name.
   *
   * @throws InferenceException with NOT_FOUND if there is none
   */
  SharedMemoryRegion find(Caller caller, String name) {
    SharedMemoryRegion region = regions.get(new Id(caller.identity(), name));
    if (region == null) {
      throw SharedMemoryRegion.notFound(name);
    }
    region.used(nanoTime.getAsLong());
    return region;
  }
}
