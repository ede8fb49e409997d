package dev.sluice.repository.scan;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Visitor that notes the files of a folder.
 *
 * <p>Blocks on the file system. Hidden files are left out, as Kubernetes' mounts put links and time
 * stamps there.
 */
final class FingerprintReader extends LinkFollowingVisitor {
  /** More files than any model has; beyond it a folder is something else, and costly to walk. */
  private static final int FILES_MAX = 100_000;

  private final Path folder;
  private final Predicate<Path> counts;
  private final List<FileStamp> files = new ArrayList<>();

  private FingerprintReader(Path folder, Predicate<Path> counts) {
    this.folder = folder;
    this.counts = counts;
  }

  /**
   * Notes all files below a folder.
   *
   * @param counts which files and folders to look at
   */
  static Fingerprint read(Path folder, Predicate<Path> counts) throws IOException {
    var reader = new FingerprintReader(folder, counts);
    reader.walk(folder);
    return new Fingerprint(reader.files);
  }

  @Override
  public FileVisitResult preVisitDirectory(Path path, BasicFileAttributes attributes) {
    boolean visit = path.equals(folder) || counts.test(path);
    return visit ? FileVisitResult.CONTINUE : FileVisitResult.SKIP_SUBTREE;
  }

  @Override
  public FileVisitResult visitFile(Path path, BasicFileAttributes attributes) throws IOException {
    if (!counts.test(path)) {
      return FileVisitResult.CONTINUE;
    }
    if (files.size() == FILES_MAX) {
      throw new IOException("holds more than " + FILES_MAX + " files");
    }
    String name = folder.relativize(path).toString();
    files.add(new FileStamp(name, attributes.size(), attributes.lastModifiedTime().toInstant()));
    return FileVisitResult.CONTINUE;
  }
}
