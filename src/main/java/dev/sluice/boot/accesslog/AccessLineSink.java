package dev.sluice.boot.accesslog;

import dev.sluice.boot.log.CountedWrites;
import dev.sluice.boot.log.LineTarget;
import dev.sluice.boot.log.LogQueue;
import dev.sluice.telemetry.access.AccessEntry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;

/** Formats entries, and writes lines in batches. Of the writer's thread. */
final class AccessLineSink implements LogQueue.Sink<AccessEntry> {
  /** Bytes of lines that are written at once. */
  private static final int BATCH = 64 * 1024;

  private final AccessLineFormat format;
  private final LineTarget target;
  private final CountedWrites writes;
  private final ByteArrayOutputStream lines = new ByteArrayOutputStream();
  private int count;

  AccessLineSink(AccessLineFormat format, LineTarget target, CountedWrites writes) {
    this.format = format;
    this.target = target;
    this.writes = writes;
  }

  @Override
  public void write(AccessEntry entry) {
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
