package dev.sluice.telemetry.trace;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A file with one JSON array, which grows and is whole at any time. Of one thread.
 *
 * <p>The closing bracket is overwritten by the next element, so the file is valid JSON after every
 * write, also if the process is killed.
 */
final class TraceArray implements AutoCloseable {
  private final FileChannel file;
  private long end;

  /** Begins the file anew. */
  TraceArray(Path path) throws IOException {
    this.file =
        FileChannel.open(
            path,
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            StandardOpenOption.TRUNCATE_EXISTING);
  }

  /** Writes elements over the end of the array, and the end behind them. */
  void append(String elements) throws IOException {
    String more = (end == 0 ? "[" : ",") + elements + "]";
    ByteBuffer bytes = ByteBuffer.wrap(more.getBytes(StandardCharsets.UTF_8));
    long at = end;
    try {
      while (bytes.hasRemaining()) {
        at += file.write(bytes, at);
      }
    } catch (IOException e) {
      restore(e);
      throw e;
    }
    end = at - 1;
  }

  /** Ends the array where it ended before a write that a full disk has cut off. */
  private void restore(IOException failure) {
    try {
      if (end > 0) {
        // In its place there is a comma, so that this takes no space.
        file.write(ByteBuffer.wrap(new byte[] {']'}), end);
      }
      file.truncate(end == 0 ? 0 : end + 1);
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
