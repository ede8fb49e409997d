package dev.sluice.testing;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What Linux says of the threads of a process: their nice values. */
public final class Niceness {
  /** The field of a thread's {@code stat} that has it, behind the name. */
  private static final int FIELD = 16;

  private Niceness() {}

  /**
   * Returns those of the threads whose names have these letters.
   *
   * @param name as Linux shows it, which has 15 letters at most
   */
  public static List<Integer> of(long process, String name) throws IOException {
    List<Integer> found = new ArrayList<>();
    try (DirectoryStream<Path> threads =
        Files.newDirectoryStream(Path.of("/proc", String.valueOf(process), "task"))) {
      for (Path thread : threads) {
        String stat = Files.readString(thread.resolve("stat"));
        int end = stat.lastIndexOf(')');
        if (stat.substring(0, end).contains(name)) {
          found.add(Integer.valueOf(stat.substring(end + 2).split(" ", -1)[FIELD]));
        }
      }
    }
    return found;
  }
}
