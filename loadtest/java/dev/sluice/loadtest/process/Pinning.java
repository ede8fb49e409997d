package dev.sluice.loadtest.process;

import java.util.ArrayList;
import java.util.List;

/**
 * The cores that a row's processes run on, set by {@code taskset}. The server has cores of its own
 * and so has the generator, where the machine has enough of them.
 *
 * @param server the cores of the server, and of what it is compared with
 * @param generator those of the generator and of the load test itself
 * @param pinned whether processes are started by {@code taskset} at all
 * @param text how the row was pinned, or why it was not
 */
public record Pinning(Cores server, Cores generator, boolean pinned, String text) {
  static final String TASKSET = "taskset";

  /**
   * Splits the cores: the server has the larger half.
   *
   * @param all the cores that may be used
   * @param path where {@code taskset} is looked for, as in the environment's PATH
   * @param serverCores how many cores the server needs for the row to mean something
   */
  public static Pinning of(Cores all, String path, int serverCores) {
    int half = (all.count() + 1) / 2;
    if (!Programs.isIn(path, TASKSET)) {
      return none(all, "there is no taskset (Debian: apt-get install util-linux)");
    }
    if (all.count() < 2) {
      return none(all, "there is one core only");
    }
    if (half < serverCores) {
      return none(all, "the server needs %d cores of its own".formatted(serverCores));
    }
    Cores server = all.first(half);
    Cores generator = all.after(half);
    String text =
        "pinned: server on core %s, generator on core %s"
            .formatted(server.list(), generator.list());
    return new Pinning(server, generator, true, text);
  }

  private static Pinning none(Cores all, String why) {
    return new Pinning(all, all, false, "not pinned: " + why);
  }

  List<String> onServerCores(List<String> command) {
    return prefixed(server, command);
  }

  List<String> onGeneratorCores(List<String> command) {
    return prefixed(generator, command);
  }

  /** Returns the command that moves all threads of a process to the generator's cores. */
  List<String> moving(long pid) {
    return List.of(
        TASKSET, "--all-tasks", "--cpu-list", "--pid", generator.list(), Long.toString(pid));
  }

  private List<String> prefixed(Cores cores, List<String> command) {
    if (!pinned) {
      return command;
    }
    List<String> whole = new ArrayList<>(List.of(TASKSET, "--cpu-list", cores.list()));
    whole.addAll(command);
    return whole;
  }
}
