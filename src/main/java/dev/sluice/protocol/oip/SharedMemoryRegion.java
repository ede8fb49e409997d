package dev.sluice.protocol.oip;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.concurrent.atomic.AtomicInteger;

/*
 * Why the file is read and written, and not mapped
 *
 * The client that shares the file may cut it at any time. An access to a page that is no longer mapped
 * kills the process if native code makes it. Reading and writing at a position just find less. For
 * files in memory both are one copy, which a request needs anyway: its tensors must not change while
 * a model reads them.
 */

/**
 * A part of a file in memory that a client has registered. The file stays open until the region is
 * forgotten and no request uses it. Any thread.
 */
public final class SharedMemoryRegion {
  /** Bytes that are read or written by one call. */
  private static final long STEP = 1 << 30;

  private final String name;
  private final String key;
  private final long offset;
  private final long byteSize;
  private final FileChannel file;

  /** Reference count of the file, the registry's included; 0: it is closed. */
  private final AtomicInteger users = new AtomicInteger(1);

  private volatile long usedNanos;

  /**
   * @param file taken over
   * @param now the time, by the clock of {@link #usedNanos}
   */
  SharedMemoryRegion(
      String name, String key, long offset, long byteSize, FileChannel file, long now) {
    this.name = name;
    this.key = key;
    this.offset = offset;
    this.byteSize = byteSize;
    this.file = file;
    this.usedNanos = now;
  }

  /** Returns the name under which the region is registered. */
  public String name() {
    return name;
  }

  /** Returns the file's name as the client gave it. */
  public String key() {
    return key;
  }

  /** Returns where the region begins in its file. */
  public long offset() {
    return offset;
  }

  /** Returns the registered size in bytes, from the registered offset on. */
  public long byteSize() {
    return byteSize;
  }

  /** Returns how many bytes its file has now. */
  long fileSize() throws IOException {
    return file.size();
  }

  /** Returns when a request named it last. */
  long usedNanos() {
    return usedNanos;
  }

  void used(long now) {
    usedNanos = now;
  }

  /**
   * Requires that a part of the region exists.
   *
   * @throws InferenceException with INVALID_ARGUMENT if not
   */
  void requirePart(long from, long size) {
    if (from < 0 || size < 0 || size > byteSize || from > byteSize - size) {
      throw InferenceException.invalid(
          "Invalid offset + byte size for shared memory region: '%s': got offset %s and %s bytes, the region has %d"
              .formatted(
                  Excerpt.of(name),
                  Long.toUnsignedString(from),
                  Long.toUnsignedString(size),
                  byteSize));
    }
  }

  /**
   * Copies a part of the region.
   *
   * @param from where it begins in the region
   * @param into is filled
   * @throws InferenceException with INVALID_ARGUMENT if the file has become shorter, NOT_FOUND if
   *     the region was forgotten
   */
  void read(long from, MemorySegment into) {
    use(() -> {
      long at = 0;
      while (at < into.byteSize()) {
        int got = file.read(piece(into, at), offset + from + at);
        if (got <= 0) {
          throw cut(from + into.byteSize());
        }
        at += got;
      }
    });
  }

  /** Fills a part of the region; see {@link #read}. The file never becomes longer. */
  void write(long from, MemorySegment content) {
    use(() -> {
      if (file.size() < offset + from + content.byteSize()) {
        throw cut(from + content.byteSize());
      }
      long at = 0;
      while (at < content.byteSize()) {
        at += file.write(piece(content, at), offset + from + at);
      }
    });
  }

  private static ByteBuffer piece(MemorySegment all, long at) {
    return all.asSlice(at, Math.min(STEP, all.byteSize() - at)).asByteBuffer();
  }

  private InferenceException cut(long end) throws IOException {
    return InferenceException.invalid(
        "shared memory region '%s' is cut: its file '%s' has %d bytes, wanted %d"
            .formatted(Excerpt.of(name), Excerpt.of(key), file.size(), offset + end));
  }

  private interface Work {
    /** Works on the mapped file, which stays mapped meanwhile. */
    void run() throws IOException;
  }

  private void use(Work work) {
    if (users.getAndUpdate(count -> count == 0 ? 0 : count + 1) == 0) {
      throw notFound(name);
    }
    try {
      work.run();
    } catch (IOException e) {
      throw InferenceException.invalid(
          "shared memory region '%s': its file '%s' cannot be used: %s"
              .formatted(Excerpt.of(name), Excerpt.of(key), e.getMessage()));
    } finally {
      leave();
    }
  }

  /** Records that the registry has forgotten it. Called once. */
  void leave() {
    if (users.decrementAndGet() == 0) {
      try {
        file.close();
      } catch (IOException e) {
        throw new InferenceException(
            ErrorCode.INTERNAL, "the file of region '" + Excerpt.of(name) + "' does not close", e);
      }
    }
  }

  static InferenceException notFound(String name) {
    return new InferenceException(
        ErrorCode.NOT_FOUND, "Unable to find shared memory region: '" + Excerpt.of(name) + "'");
  }
}
