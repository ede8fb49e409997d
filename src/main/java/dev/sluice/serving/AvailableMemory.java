package dev.sluice.serving;

import com.sun.management.OperatingSystemMXBean;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The memory that the system lets this process take: what is free or holds pages of files, of the
 * machine and of the control group. Reads files of the system; the limit and use of the group come
 * from the Java VM, which knows where both versions of groups say them. Any thread.
 */
public final class AvailableMemory {
  /** A session takes its files' size, and about as much again while it is opened. */
  private static final long TIMES_FILES = 2;

  private static final long KIB = 1024;
  private static final Path MACHINE = Path.of("/proc/meminfo");

  /** Where groups of version 2 and of version 1 count their pages. */
  private static final List<Path> GROUP =
      List.of(Path.of("/sys/fs/cgroup/memory.stat"), Path.of("/sys/fs/cgroup/memory/memory.stat"));

  private AvailableMemory() {}

  /**
   * Requires memory for another session over files that are open already.
   *
   * @throws InferenceException with RESOURCE_EXHAUSTED if there is not enough
   */
  public static void requireFor(Path files, ModelId model) {
    var system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    long available = bytes(MACHINE, system.getTotalMemorySize(), system.getFreeMemorySize(), GROUP);
    require(available, size(files), model);
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

  /**
   * Long.MAX_VALUE where the system does not say.
   *
   * @param machine what the machine says of its memory
   * @param total bytes that this process and its group may have
   * @param free bytes of those that are not in use, pages of files included
   * @param group files of which the first that is there says how many pages of files could be freed
   */
  static long bytes(Path machine, long total, long free, List<Path> group) {
    OptionalLong kib = value(machine, "MemAvailable:");
    long ofMachine = kib.isEmpty() ? Long.MAX_VALUE : kib.getAsLong() * KIB;
    if (total >= value(machine, "MemTotal:").orElse(0) * KIB) {
      return ofMachine;
    }
    long pages =
        group.stream()
            .map(file -> value(file, "(total_)?inactive_file "))
            .flatMapToLong(OptionalLong::stream)
            .findFirst()
            .orElse(0);
    return Math.min(ofMachine, free + pages);
  }

  /** The number in the last line that begins so: what a group and those in it have together. */
  private static OptionalLong value(Path file, String begin) {
    List<String> lines;
    try {
      lines = Files.readAllLines(file);
    } catch (IOException e) {
      return OptionalLong.empty();
    }
    Pattern wanted = Pattern.compile(begin + "\\s*(?<number>\\d+).*");
    return lines.stream()
        .map(wanted::matcher)
        .filter(Matcher::matches)
        .mapToLong(found -> Long.parseLong(found.group("number")))
        .reduce((_, last) -> last);
  }
}
