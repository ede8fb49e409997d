package dev.sluice.serving;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

/**
 * The memory that the system lets this process take: what is free or holds pages of files, of the
 * machine and of the control group (version 2). Reads files of the system. Any thread.
 */
public final class AvailableMemory {
  /** A session takes its files' size, and about as much again while it is opened. */
  private static final long TIMES_FILES = 2;

  private static final long KIB = 1024;
  private static final Path MACHINE = Path.of("/proc/meminfo");
  private static final Path GROUP = Path.of("/sys/fs/cgroup");

  private AvailableMemory() {}

  /**
   * Requires memory for another session over files that are open already.
   *
   * @throws InferenceException with RESOURCE_EXHAUSTED if there is not enough
   */
  public static void requireFor(Path files, ModelId model) {
    require(bytes(MACHINE, GROUP), size(files), model);
  }

  static void require(long available, long size, ModelId model) {
    if (available / TIMES_FILES < size) {
      throw new InferenceException(
          ErrorCode.RESOURCE_EXHAUSTED,
          "another session of model '%s' beside a run that has not ended wants %d bytes of memory, %d are available"
              .formatted(model, TIMES_FILES * size, available));
    }
  }

  private static long size(Path files) {
    try (var all = Files.walk(files)) {
      return all.filter(Files::isRegularFile).mapToLong(file -> file.toFile().length()).sum();
    } catch (IOException | UncheckedIOException e) {
      throw new InferenceException(
          ErrorCode.UNAVAILABLE, "the files in " + files + " cannot be read: " + e);
    }
  }

  /** Long.MAX_VALUE where the system does not say. */
  static long bytes(Path machine, Path group) {
    OptionalLong kib = value(machine, "MemAvailable:");
    long ofMachine = kib.isEmpty() ? Long.MAX_VALUE : kib.getAsLong() * KIB;
    OptionalLong limit = value(group.resolve("memory.max"), "");
    if (limit.isEmpty()) {
      return ofMachine;
    }
    long used = value(group.resolve("memory.current"), "").orElse(0);
    long pages = value(group.resolve("memory.stat"), "inactive_file ").orElse(0);
    return Math.min(ofMachine, Math.max(0, limit.getAsLong() - used + pages));
  }

  /** The number in the first line that begins so. */
  private static OptionalLong value(Path file, String begin) {
    List<String> lines;
    try {
      lines = Files.readAllLines(file);
    } catch (IOException e) {
      return OptionalLong.empty();
    }
    return lines.stream()
        .filter(line -> line.startsWith(begin))
        .limit(1)
        .map(line -> line.replaceAll("\\D", ""))
        .filter(digits -> !digits.isEmpty())
        .mapToLong(Long::parseLong)
        .findFirst();
  }
}
