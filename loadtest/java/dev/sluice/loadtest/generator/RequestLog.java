package dev.sluice.loadtest.generator;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * What {@code h2load --log-file} wrote: for each request when it began, its status (-1: the stream
 * failed) and how long its answer took. Times in microseconds.
 */
@SuppressWarnings("ArrayRecordComponent") // Logs are never compared.
public record RequestLog(long[] starts, int[] statuses, long[] latencies) {
  private static final int OK = 200;

  /** Reads a log. */
  public static RequestLog read(Path file) {
    try {
      return parse(Files.readAllLines(file).toArray(String[]::new));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static RequestLog parse(String... lines) {
    long[] starts = new long[lines.length];
    int[] statuses = new int[lines.length];
    long[] latencies = new long[lines.length];
    for (int i = 0; i < lines.length; i++) {
      int first = lines[i].indexOf('\t');
      int second = lines[i].indexOf('\t', first + 1);
      if (second < 0) {
        throw new GeneratorException("not a line of h2load's log: " + lines[i]);
      }
      starts[i] = Long.parseLong(lines[i], 0, first, 10);
      statuses[i] = Integer.parseInt(lines[i], first + 1, second, 10);
      int end = lines[i].indexOf('\t', second + 1);
      latencies[i] = Long.parseLong(lines[i], second + 1, end < 0 ? lines[i].length() : end, 10);
    }
    return new RequestLog(starts, statuses, latencies);
  }

  /** The requests that began in the middle part of the time, away from start and end. */
  public RequestLog middle(double share) {
    long first = Arrays.stream(starts).min().orElse(0);
    long length = Arrays.stream(starts).max().orElse(0) - first;
    double from = first + length * (1 - share) / 2;
    double to = first + length * (1 + share) / 2;
    int[] kept =
        IntStream.range(0, starts.length)
            .filter(i -> starts[i] >= from && starts[i] <= to)
            .toArray();
    return new RequestLog(
        Arrays.stream(kept).mapToLong(i -> starts[i]).toArray(),
        Arrays.stream(kept).map(i -> statuses[i]).toArray(),
        Arrays.stream(kept).mapToLong(i -> latencies[i]).toArray());
  }

  /** How many answers had this status. */
  public long count(int status) {
    return Arrays.stream(statuses).filter(each -> each == status).count();
  }

  /** All requests. */
  public int size() {
    return starts.length;
  }

  /** Requests per second. */
  public double offered() {
    return size() / seconds();
  }

  /** The good answers. */
  public Measurement good() {
    long[] good =
        IntStream.range(0, size())
            .filter(i -> statuses[i] == OK)
            .mapToLong(i -> latencies[i])
            .toArray();
    return new Measurement(
        good.length / seconds(),
        Measurement.percentile(good, 0.5),
        Measurement.percentile(good, 0.99),
        good.length);
  }

  private double seconds() {
    long first = Arrays.stream(starts).min().orElse(0);
    long last = Arrays.stream(starts).max().orElse(0);
    return Math.max(1, last - first) / 1e6;
  }
}
