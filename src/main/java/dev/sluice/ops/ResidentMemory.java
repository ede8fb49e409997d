package dev.sluice.ops;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The memory that the process holds, as Linux tells it. */
final class ResidentMemory {
  private static final Path STATUS = Path.of("/proc/self/status");
  private static final Pattern SIZE = Pattern.compile("(?m)^VmRSS:\\s+(\\d+) kB");
  private static final double KIB = 1024;

  private ResidentMemory() {}

  /** Returns its bytes; empty where the system does not report them. */
  static Optional<Double> bytes() {
    try {
      Matcher size = SIZE.matcher(Files.readString(STATUS));
      return size.find() ? Optional.of(Long.parseLong(size.group(1)) * KIB) : Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
