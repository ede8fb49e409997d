package dev.sluice.loadtest.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

/** What Linux says of a process. */
public record ProcessFigures(long pid) {
  private static final Pattern SPACE = Pattern.compile(" ");

  /** Linux shows times in these, whatever its own clock does. */
  private static final double TICKS_PER_SECOND = 100;

  private static final long PAGE = 4096;

  /** Time on a processor since the process began, in its own code and in the system's, in µs. */
  public double cpuMicros() {
    return cpuMicros(read("stat"));
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

  private String read(String file) {
    try {
      return Files.readString(Path.of("/proc", Long.toString(pid), file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
