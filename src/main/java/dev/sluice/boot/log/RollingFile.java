package dev.sluice.boot.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A file that whole lines are appended to. When it is full, it gets the number 1 behind its name,
 * older ones the next number, and the oldest is deleted. A file that someone else has moved away or
 * deleted is made anew within a second.
 *
 * <p>Not Logback's: that drops lines without a count while a disk is full, and leaves half a line
 * in front of the next one. For one thread.
 */
final class RollingFile implements LineTarget {
  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Path path;
  private final long maxSize;
  private final int maxFiles;
  private final LongSupplier nanoTime;
  private @Nullable FileChannel file;
  private @Nullable Object key;
  private long looked;

  RollingFile(Path path, long maxSize, int maxFiles, LongSupplier nanoTime) {
    this.path = path;
    this.maxSize = maxSize;
    this.maxFiles = maxFiles;
    this.nanoTime = nanoTime;
  }

  @Override
  public void write(byte[] lines) throws IOException {
    FileChannel open = open();
    long size = open.size();
    if (maxSize > 0 && size > 0 && size + lines.length > maxSize) {
      roll();
      open = open();
      size = open.size();
    }
    try {
      ByteBuffer rest = ByteBuffer.wrap(lines);
      while (rest.hasRemaining()) {
        var _ = open.write(rest);
      }
    } catch (IOException e) {
      undo(open, size, e);
      throw e;
    }
  }

  /** Half a line would be taken for the beginning of the next one. */
  private void undo(FileChannel open, long size, IOException why) {
    try (open) {
      file = null;
      open.truncate(size);
    } catch (IOException e) {
      why.addSuppressed(e);
    }
  }

  private FileChannel open() throws IOException {
    FileChannel open = file;
    long now = nanoTime.getAsLong();
    if (open != null && now - looked >= LOOK_NANOS) {
      looked = now;
      if (!isStillThere()) {
        close();
        open = null;
      }
    }
    if (open == null) {
      open =
          FileChannel.open(
              path, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND);
      file = open;
      key = key();
      looked = now;
    }
    return open;
  }

  private boolean isStillThere() throws IOException {
    try {
      Object now = key();
      return now == null || now.equals(key);
    } catch (NoSuchFileException e) {
      return false;
    }
  }

  private @Nullable Object key() throws IOException {
    return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
  }

  private void roll() throws IOException {
    close();
    Files.deleteIfExists(maxFiles > 1 ? numbered(maxFiles - 1) : path);
    for (int i = maxFiles - 2; i >= 1; i--) {
      if (Files.exists(numbered(i))) {
        Files.move(numbered(i), numbered(i + 1), StandardCopyOption.REPLACE_EXISTING);
      }
    }
    if (maxFiles > 1) {
      Files.move(path, numbered(1), StandardCopyOption.REPLACE_EXISTING);
    }
  }

  private Path numbered(int number) {
    return path.resolveSibling(path.getFileName() + "." + number);
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
