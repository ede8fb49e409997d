package dev.sluice.boot.log;

import java.io.ByteArrayOutputStream;
import java.io.IOException;

/**
 * Formats records, and writes lines in batches. Of the writer's thread.
 *
 * @param <T> a record of the log
 */
public final class LineSink<T> implements LogQueue.Sink<T> {
  /** Bytes of lines that are written at once. */
  private static final int BATCH = 64 * 1024;

  private final LineFormat<T> format;
  private final LineTarget target;
  private final CountedWrites writes;
  private final ByteArrayOutputStream lines = new ByteArrayOutputStream();
  private int count;

  /** Writes to a target, and counts what is written. */
  public LineSink(LineFormat<T> format, LineTarget target, CountedWrites writes) {
    this.format = format;
    this.target = target;
    this.writes = writes;
  }

  @Override
  public void write(T entry) {
    try {
      format.append(entry, lines);
    } catch (IOException e) {
      throw new IllegalStateException("memory takes all bytes", e);
    }
    count++;
    if (lines.size() >= BATCH) {
      flush();
    }
  }

  @Override
  public void flush() {
    if (count > 0) {
      writes.attempt(count, () -> target.write(lines.toByteArray()));
      lines.reset();
      count = 0;
    }
  }

  @Override
  public void close() throws IOException {
    target.close();
  }
}
