package dev.sluice.repository.scan;

import java.io.IOException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.FileVisitOption;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.util.EnumSet;

/**
 * Visitor of the files below a model's folder. Follows links, since mounted volumes are full of
 * them. Blocks on the file system.
 */
public abstract class LinkFollowingVisitor extends SimpleFileVisitor<Path> {
  /** Folders within folders; a SavedModel needs three. */
  private static final int DEPTH_MAX = 32;

  /** Visits a folder and what lies below it. */
  public final void walk(Path folder) throws IOException {
    Files.walkFileTree(folder, EnumSet.of(FileVisitOption.FOLLOW_LINKS), DEPTH_MAX, this);
  }

  /** Skips a link back to a folder above, which shows nothing new; fails on any other error. */
  @Override
  public FileVisitResult visitFileFailed(Path path, IOException error) throws IOException {
    if (error instanceof FileSystemLoopException) {
      return FileVisitResult.CONTINUE;
    }
    throw error;
  }
}
