package dev.sluice.runtime.isolation;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file in memory that two processes map, from its making until both have: then it has no name any
 * more, and goes with the last mapping. Only its owner may open it.
 *
 * <p>Owner: the creator closes it, which deletes the name. Blocks; not for event loops.
 */
final class SharedFile implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SharedFile.class);
  private static final Path MEMORY = Path.of("/dev/shm");
  private static final String PREFIX = "sluice-";
  private static final Pattern NAME = Pattern.compile(PREFIX + "(\\d+)-[0-9a-f-]{36}");

  /** A file has its name for milliseconds; another pid namespace may hide whose it is. */
  private static final Duration ABANDONED = Duration.ofMinutes(1);

  private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(1 << 20);

  private final Path path;
  private final long bytes;

  private SharedFile(Path path, long bytes) {
    this.path = path;
    this.bytes = bytes;
  }

  /**
   * Makes a file and claims its memory at once: a page that is missed later ends the process that
   * touches it.
   *
   * @throws IOException if there is not so much
   */
  static SharedFile create(long bytes) throws IOException {
    IOException failure = new IOException("no folder for it");
    for (Path folder : folders()) {
      var file =
          new SharedFile(
              folder.resolve(PREFIX + ProcessHandle.current().pid() + "-" + UUID.randomUUID()),
              bytes);
      try {
        file.fill();
        return file;
      } catch (IOException e) {
        file.close();
        failure = e;
      }
    }
    throw failure;
  }

  /**
   * Returns the folder of memory-backed files; that of temporary files where it is too small or
   * missing.
   */
  private static List<Path> folders() {
    Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
    return Files.isWritable(MEMORY) ? List.of(MEMORY, temporary) : List.of(temporary);
  }

  private void fill() throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            path,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
      long at = 0;
      while (at < bytes) {
        ByteBuffer zeros = ZEROS.duplicate();
        zeros.limit((int) Math.min(zeros.capacity(), bytes - at));
        at += channel.write(zeros, at);
      }
    }
  }

  Path path() {
    return path;
  }

  MemorySegment map(Arena arena) throws IOException {
    return map(path, bytes, arena);
  }

  /** Maps a file of this size, which has to be its size. */
  static MemorySegment map(Path path, long bytes, Arena arena) throws IOException {
    try (FileChannel channel =
        FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      if (channel.size() != bytes) {
        throw new IOException(path + " has " + channel.size() + " bytes, not " + bytes);
      }
      return channel.map(MapMode.READ_WRITE, 0, bytes, arena);
    }
  }

  @Override
  public void close() {
    try {
      Files.deleteIfExists(path);
    } catch (IOException e) {
      LOG.warn("shared memory is left behind: {}", e.toString());
    }
  }

  /** Deletes files that servers left behind which were killed while they made them. */
  static void deleteAbandoned() {
    for (Path folder : folders()) {
      try (DirectoryStream<Path> found = Files.newDirectoryStream(folder, PREFIX + "*")) {
        for (Path path : found) {
          deleteIfAbandoned(path);
        }
      } catch (IOException e) {
        LOG.debug("{} was not searched for shared memory", folder, e);
      }
    }
  }

  private static void deleteIfAbandoned(Path path) {
    Matcher name = NAME.matcher(String.valueOf(path.getFileName()));
    try {
      if (name.matches()
          && ProcessHandle.of(Long.parseLong(name.group(1))).isEmpty()
          && Files.getLastModifiedTime(path).toInstant().isBefore(Instant.now().minus(ABANDONED))) {
        Files.deleteIfExists(path);
        LOG.info("deleted {}, which a server that was killed has left behind", path);
      }
    } catch (IOException | NumberFormatException e) {
      LOG.debug("{} is another user's", path, e);
    }
  }
}
