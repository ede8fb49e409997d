package dev.sluice.serving.control;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A temporary folder, which only this user can read, with the files of one load request.
 *
 * <p>Owner: who wrote it deletes it. As long as it lives, it holds a lock on a file in the folder;
 * the system releases the lock when the process ends in whatever way, which is how the next server
 * knows what was left behind. All methods block.
 */
final class UploadFolder {
  private static final Logger LOG = LoggerFactory.getLogger(UploadFolder.class);
  private static final String PREFIX = "sluice-model-";
  private static final String LOCK = ".lock";
  private static final String NEW_LOCK = ".lock.new";
  private static final String FILES = "files";
  private static final Set<PosixFilePermission> OWN = PosixFilePermissions.fromString("rwx------");
  private static final FileAttribute<?> ONLY_OWN = PosixFilePermissions.asFileAttribute(OWN);

  /**
   * Least age of a folder without a lock at which it is orphaned: no server is about to lock it.
   */
  private static final Duration UNLOCKED_AGE = Duration.ofMinutes(1);

  /**
   * Names of the folders of this process, which it never looks into: to close a second channel on a
   * file releases the lock on it.
   */
  private static final Set<String> OURS = ConcurrentHashMap.newKeySet();

  private final Path folder;
  private final FileChannel lock;

  private UploadFolder(Path folder, FileChannel lock) {
    this.folder = folder;
    this.lock = lock;
  }

  /** Returns the model's folder. */
  Path files() {
    return folder.resolve(FILES);
  }

  /**
   * Writes files into a new folder.
   *
   * @param files with names that were checked
   * @throws InferenceException if they cannot be written; nothing is left then
   */
  static UploadFolder write(Map<String, byte[]> files) {
    try {
      UploadFolder made = make(Path.of(System.getProperty("java.io.tmpdir")));
      try {
        made.fill(files);
        return made;
      } catch (IOException | RuntimeException e) {
        made.delete();
        throw e;
      }
    } catch (IOException e) {
      throw new InferenceException(
          ErrorCode.INTERNAL, "the files of the load request cannot be written: " + e, e);
    }
  }

  private static UploadFolder make(Path parent) throws IOException {
    Path folder = Files.createTempDirectory(parent, PREFIX, ONLY_OWN);
    OURS.add(name(folder));
    // By its name it is locked from the beginning: a server that starts would else lock it first.
    Path unnamed = folder.resolve(NEW_LOCK);
    FileChannel lock =
        FileChannel.open(unnamed, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    if (lock.tryLock() == null) {
      lock.close();
      throw new IOException(folder + " was locked by another process when it was made");
    }
    Files.move(unnamed, folder.resolve(LOCK), StandardCopyOption.ATOMIC_MOVE);
    return new UploadFolder(folder, lock);
  }

  private static String name(Path folder) {
    return String.valueOf(folder.getFileName());
  }

  private void fill(Map<String, byte[]> files) throws IOException {
    Files.createDirectory(files());
    for (Map.Entry<String, byte[]> file : files.entrySet()) {
      Path path = files().resolve(file.getKey());
      Files.createDirectories(path.getParent());
      Files.write(path, file.getValue());
    }
  }

  /** Deletes the folder and all in it; files that a session has open stay readable for it. */
  void delete() {
    delete(folder);
    close(lock);
    OURS.remove(name(folder));
  }

  private static void close(FileChannel lock) {
    try {
      lock.close();
    } catch (IOException e) {
      LOG.debug("a lock could not be released", e);
    }
  }

  /** Deletes a folder, except files that cannot be deleted. */
  private static void delete(Path folder) {
    try {
      Files.walkFileTree(folder, new Deletion());
    } catch (IOException e) {
      // it lies among temporary files, where others clean up too
      LOG.debug("{} could not be deleted", folder, e);
    }
  }

  /**
   * Deletes the folders that servers left behind which were killed: those of this user, that only
   * this user may open, and that no living process has locked.
   *
   * @param parent where they lie
   * @param now what their age is measured by
   * @return how many
   */
  static int deleteAbandoned(Path parent, Instant now) {
    int deleted = 0;
    try (DirectoryStream<Path> folders = Files.newDirectoryStream(parent, PREFIX + "*")) {
      UserPrincipal us = us();
      for (Path folder : folders) {
        boolean ours = OURS.contains(name(folder));
        deleted += !ours && deleteAbandoned(folder, us, now) ? 1 : 0;
      }
    } catch (IOException | RuntimeException e) {
      LOG.debug("temporary folders in {} could not be looked at", parent, e);
    }
    if (deleted > 0) {
      LOG.atInfo()
          .addKeyValue("folders", deleted)
          .log("deleted temporary folders of load requests that an earlier server left behind");
    }
    return deleted;
  }

  /** Returns the user of this process, as the file system sees it. */
  private static UserPrincipal us() throws IOException {
    Path probe = Files.createTempFile("sluice-owner-", "");
    try {
      return Files.getOwner(probe);
    } finally {
      Files.delete(probe);
    }
  }

  private static boolean deleteAbandoned(Path folder, UserPrincipal us, Instant now) {
    try {
      var facts =
          Files.readAttributes(folder, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      if (!facts.isDirectory() || !facts.owner().equals(us) || !facts.permissions().equals(OWN)) {
        return false;
      }
      return deleteUnlocked(folder, facts.lastModifiedTime().toInstant(), now);
    } catch (IOException _) {
      // its owner, or another server that starts, took it away meanwhile
      return false;
    }
  }

  private static boolean deleteUnlocked(Path folder, Instant changed, Instant now)
      throws IOException {
    try (FileChannel lock =
        FileChannel.open(
            folder.resolve(LOCK), Set.of(StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS))) {
      if (lock.tryLock() == null) {
        return false;
      }
      delete(folder);
    } catch (NoSuchFileException _) {
      if (changed.isAfter(now.minus(UNLOCKED_AGE))) {
        return false;
      }
      delete(folder);
    }
    return Files.notExists(folder, LinkOption.NOFOLLOW_LINKS);
  }

  private static final class Deletion extends SimpleFileVisitor<Path> {
    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
      Files.deleteIfExists(file);
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path folder, IOException fault) throws IOException {
      Files.deleteIfExists(folder);
      return FileVisitResult.CONTINUE;
    }
  }
}
