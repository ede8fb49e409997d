package dev.sluice.loadtest.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The cores that the load test may use: those of its own CPU affinity, which a container or {@code
 * taskset} may have narrowed. Hyper-threads of one physical core stand beside one another.
 *
 * @param ids the numbers that Linux gives them
 */
public record Cores(List<Integer> ids) {
  private static final Path STATUS = Path.of("/proc/self/status");
  private static final Pattern ALLOWED = Pattern.compile("(?m)^Cpus_allowed_list:\\s*(\\S+)$");
  private static final Pattern RANGE = Pattern.compile("(\\d+)(?:-(\\d+))?");

  public Cores {
    ids = List.copyOf(ids);
  }

  /**
   * Reads the CPU affinity of this process.
   *
   * @throws IOException if Linux does not show it
   */
  public static Cores allowed() throws IOException {
    Matcher allowed = ALLOWED.matcher(Files.readString(STATUS));
    if (!allowed.find()) {
      throw new IOException(STATUS + " has no line Cpus_allowed_list");
    }
    List<Integer> ids = new ArrayList<>(parse(allowed.group(1)));
    ids.sort(Comparator.<Integer>comparingInt(Cores::physical).thenComparingInt(id -> id));
    return new Cores(ids);
  }

  /** Parses a list such as {@code 0-3,8}. */
  static List<Integer> parse(String list) {
    List<Integer> ids = new ArrayList<>();
    Matcher range = RANGE.matcher(list);
    while (range.find()) {
      int first = Integer.parseInt(range.group(1));
      int last = range.group(2) == null ? first : Integer.parseInt(range.group(2));
      for (int id = first; id <= last; id++) {
        ids.add(id);
      }
    }
    return ids;
  }

  /** Returns the first hyper-thread of the same physical core, or the core itself if unknown. */
  private static int physical(int id) {
    try {
      Path cpu = Path.of("/sys/devices/system/cpu/cpu" + id);
      return parse(Files.readString(cpu.resolve("topology/thread_siblings_list"))).getFirst();
    } catch (IOException e) {
      return id;
    }
  }

  /** Returns how many there are. */
  public int count() {
    return ids.size();
  }

  /** Returns the first cores, at most all. */
  Cores first(int count) {
    return new Cores(ids.subList(0, count));
  }

  /** Returns all but the first cores. */
  Cores after(int count) {
    return new Cores(ids.subList(count, ids.size()));
  }

  /** Returns the list in the form that {@code taskset} reads. */
  String list() {
    return String.join(",", ids.stream().map(String::valueOf).toList());
  }
}
