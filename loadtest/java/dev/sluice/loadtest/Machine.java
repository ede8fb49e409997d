package dev.sluice.loadtest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The machine that the load test runs on, in words. Linux only, as the load test is. */
final class Machine {
  private static final Pattern MODEL = Pattern.compile("(?m)^model name\\s*: (.*)$");
  private static final Pattern MEMORY = Pattern.compile("MemTotal:\\s*(\\d+) kB");

  private Machine() {}

  /**
   * Describes the machine.
   *
   * @param cores how many the load test may use
   */
  static String text(int cores) throws IOException {
    return String.format(
        Locale.ROOT,
        "%d × %s, %.0f GiB, Linux %s, Java %s",
        cores,
        find(MODEL, "/proc/cpuinfo", "processor"),
        Double.parseDouble(find(MEMORY, "/proc/meminfo", "0")) / (1 << 20),
        System.getProperty("os.version"),
        Runtime.version());
  }

  private static String find(Pattern pattern, String file, String otherwise) throws IOException {
    Matcher matcher = pattern.matcher(Files.readString(Path.of(file)));
    return matcher.find() ? matcher.group(1) : otherwise;
  }
}
