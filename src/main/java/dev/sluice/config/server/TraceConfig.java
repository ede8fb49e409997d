package dev.sluice.config.server;

import dev.sluice.config.binding.Section;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Traces: which V2 requests are traced until a caller changes it, and where traces go.
 *
 * @param timestamps whether V2 requests are traced at the start: when each reached which point
 * @param rate one of so many V2 requests is traced; 0: none
 * @param count number of requests that are traced; -1: no limit
 * @param logFrequency number of traces after which a file is complete and the next one begins; 0:
 *     all are in one
 * @param tensors whether traces hold the tensors of requests and responses too. Needs {@code
 *     oip.trace.file}
 * @param file file that traces are written to in Triton's JSON form; empty: points in time are in
 *     the log. The names of further files have a number behind it
 * @param maxSize size of the tensors that one trace may hold; of others only name, shape and type
 *     are kept
 */
public record TraceConfig(
    boolean timestamps,
    int rate,
    int count,
    int logFrequency,
    boolean tensors,
    Optional<Path> file,
    long maxSize) {
  private static final long LARGEST = 1L << 30;

  public static final TraceConfig DEFAULT =
      new TraceConfig(false, 1_000, -1, 0, false, Optional.empty(), 1 << 20);

  static TraceConfig read(Section trace) {
    var read =
        new TraceConfig(
            trace.flag("timestamps", DEFAULT.timestamps),
            trace.number("rate", DEFAULT.rate, 0, Integer.MAX_VALUE),
            trace.number("count", DEFAULT.count, -1, Integer.MAX_VALUE),
            trace.number("log_frequency", DEFAULT.logFrequency, 0, Integer.MAX_VALUE),
            trace.flag("tensors", DEFAULT.tensors),
            trace.text("file").map(Path::of),
            trace.size("max_size", DEFAULT.maxSize, 0, LARGEST));
    if (read.tensors && read.file.isEmpty()) {
      throw trace.error(
          "tensors", "is true; wanted a trace.file too, which tensors are written to");
    }
    read.file.ifPresent(file -> requireFolder(trace, file));
    return read;
  }

  private static void requireFolder(Section trace, Path file) {
    Path folder = file.toAbsolutePath().getParent();
    if (folder == null || !Files.isDirectory(folder) || Files.isDirectory(file)) {
      throw trace.error("file", "is " + file + "; wanted a file in a folder that there is");
    }
  }
}
