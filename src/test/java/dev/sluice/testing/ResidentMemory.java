package dev.sluice.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** How much memory the process holds, as the system counts it. */
public final class ResidentMemory {
  private static final long PAGE = 4096;

  private ResidentMemory() {}

  /** Loose: it counts the Java heap and whatever other tests left in the allocators. */
  public static long bytes() {
    try {
      // Pages in all, pages that are resident, and more.
      String pages = Files.readString(Path.of("/proc/self/statm"));
      int start = pages.indexOf(' ') + 1;
      return Long.parseLong(pages.substring(start, pages.indexOf(' ', start))) * PAGE;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
