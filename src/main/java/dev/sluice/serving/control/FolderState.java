package dev.sluice.serving.control;

import dev.sluice.repository.scan.LinkFollowingVisitor;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The files of a folder, with all that leads to them: two equal states, the first of which had
 * settled, mean that nothing was renamed, replaced or written in between, however shortly. The time
 * of a file's last change of status shows it, which no caller of the system can choose.
 */
public final class FolderState {
  private static final String FACTS = "unix:dev,ino,mode,size,ctime";

  private final Map<Path, Map<String, Object>> entries = new HashMap<>();

  private FolderState() {}

  /**
   * Reads a folder, where links lead to, and the folders above both.
   *
   * @param roots folders without links; of what lies above one of them only the identity counts,
   *     since others use it too
   */
  public static FolderState of(Path folder, List<Path> roots) throws IOException {
    var state = new FolderState();
    state.addAbove(folder.toAbsolutePath(), roots);
    var visitor =
        new LinkFollowingVisitor() {
          @Override
          public FileVisitResult preVisitDirectory(Path path, BasicFileAttributes attributes)
              throws IOException {
            return visitFile(path, attributes);
          }

          @Override
          public FileVisitResult visitFile(Path path, BasicFileAttributes attributes)
              throws IOException {
            state.add(path);
            if (path.equals(folder) || Files.isSymbolicLink(path)) {
              state.addAbove(path.toRealPath(), roots);
            }
            return FileVisitResult.CONTINUE;
          }
        };
    visitor.walk(folder);
    return state;
  }

  private void addAbove(Path path, List<Path> roots) throws IOException {
    for (@Nullable Path at = path; at != null; at = at.getParent()) {
      Path above = at;
      if (roots.stream().noneMatch(root -> root.startsWith(above))) {
        add(at);
      } else if (!Files.isSymbolicLink(at)) {
        entries.put(at, Files.readAttributes(at, "unix:dev,ino", LinkOption.NOFOLLOW_LINKS));
      } else {
        add(at);
      }
    }
  }

  private void add(Path path) throws IOException {
    entries.put(path, Files.readAttributes(path, FACTS, LinkOption.NOFOLLOW_LINKS));
  }

  /** Returns whether all of it was last changed before a moment. */
  public boolean isOlderThan(Instant moment) {
    return entries.values().stream()
        .map(facts -> facts.get("ctime"))
        .allMatch(time -> time == null || ((FileTime) time).toInstant().isBefore(moment));
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof FolderState state && entries.equals(state.entries);
  }

  @Override
  public int hashCode() {
    return entries.hashCode();
  }
}
