package dev.sluice.protocol.tfs.requestlog;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import org.jspecify.annotations.Nullable;

/**
 * TFRecord files of one prefix, each up to a size: {@code PREFIX-20261122T191500.000Z.tfrecord}.
 * One thread.
 */
final class TfRecordFile implements AutoCloseable {
  private static final long LARGEST = 64L << 20;
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss.SSS'Z'").withZone(ZoneOffset.UTC);

  private final String prefix;
  private @Nullable FileChannel file;

  TfRecordFile(String prefix) {
    this.prefix = prefix;
  }

  /** Appends a record, to a new file if there is none or if it is full. */
  void append(byte[] data, Instant now) throws IOException {
    FileChannel current = file;
    if (current == null || current.size() >= LARGEST) {
      close();
      current = open(now);
      file = current;
    }
    ByteBuffer record = TfRecordFormat.record(data);
    long begin = current.position();
    try {
      while (record.hasRemaining()) {
        current.write(record);
      }
    } catch (IOException e) {
      cut(current, begin, e);
      throw e;
    }
  }

  /** Takes back the beginning of a record that did not fit: nothing could be read behind it. */
  private void cut(FileChannel current, long end, IOException failure) {
    try {
      current.truncate(end);
    } catch (IOException e) {
      failure.addSuppressed(e);
      closeFailed(failure);
    }
  }

  /** The next record begins another file. */
  private void closeFailed(IOException failure) {
    try {
      close();
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
  }

  private FileChannel open(Instant now) throws IOException {
    Path parent = Path.of(prefix).toAbsolutePath().getParent();
    if (parent != null) {
      Files.createDirectories(parent);
    }
    for (Instant time = now; ; time = time.plusMillis(1)) {
      try {
        return FileChannel.open(
            Path.of(prefix + "-" + TIME.format(time) + ".tfrecord"),
            StandardOpenOption.CREATE_NEW,
            StandardOpenOption.WRITE);
      } catch (FileAlreadyExistsException e) {
        // Another one of this millisecond.
      }
    }
  }

  @Override
  public void close() throws IOException {
    FileChannel open = file;
    file = null;
    if (open != null) {
      open.close();
    }
  }
}
