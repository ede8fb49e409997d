package dev.sluice.loadtest.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;

/** What Linux says of a process. */
public record ProcessFigures(long pid) {
  private static final Pattern SPACE = Pattern.compile(" ");

  /** Linux shows times in these, whatever its own clock does. */
  private static final double TICKS_PER_SECOND = 100;

  private static final long PAGE = 4096;

  /** Linux cuts the names of threads off after 15 characters. */
  private static final Pattern COMPILER = Pattern.compile("\\(C[12] CompilerThre\\)");

  /**
   * Returns the processor time that the process and its living children have taken since they
   * began, in their own code and in the system's, in µs.
   */
  public double cpuMicros() {
    double children =
        ProcessHandle.of(pid).stream()
            .flatMap(ProcessHandle::descendants)
            .mapToDouble(child -> new ProcessFigures(child.pid()).ownMicros())
            .sum();
    return ownMicros() + children;
  }

  private double ownMicros() {
    return cpuMicros(read("stat"));
  }

  /**
   * Returns the processor time of each of the JVM's compiler threads that lives now, in µs, by its
   * id. The JVM ends idle ones and starts others, so times are compared thread by thread.
   */
  public Map<String, Double> compilerMicros() {
    Map<String, Double> times = new HashMap<>();
    try (DirectoryStream<Path> threads = Files.newDirectoryStream(folder().resolve("task"))) {
      for (Path thread : threads) {
        addCompiler(thread, times);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return times;
  }

  private static void addCompiler(Path thread, Map<String, Double> times) {
    try {
      String stat = Files.readString(thread.resolve("stat"));
      if (COMPILER.matcher(stat).find()) {
        times.put(thread.getFileName().toString(), cpuMicros(stat));
      }
    } catch (IOException e) {
      // The thread ended since the folder was listed.
    }
  }

  /** The program's name, second in the line, may hold spaces and brackets of its own. */
  static double cpuMicros(String stat) {
    String[] fields = SPACE.split(stat.substring(stat.lastIndexOf(')') + 2), -1);
    long ticks = Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
    return ticks * 1e6 / TICKS_PER_SECOND;
  }

  /** Memory that the process really has, in bytes. */
  public long residentBytes() {
    return Long.parseLong(SPACE.split(read("statm"), -1)[1]) * PAGE;
  }

  private Path folder() {
    return Path.of("/proc", Long.toString(pid));
  }

  private String read(String file) {
    try {
      return Files.readString(folder().resolve(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
