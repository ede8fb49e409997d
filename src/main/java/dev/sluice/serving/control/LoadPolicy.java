package dev.sluice.serving.control;

import dev.sluice.config.model.ListedModel;
import dev.sluice.config.security.TrustConfig;
import dev.sluice.config.server.DesiredModels;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.FileVisitOption;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Decides from where models may be loaded, and which of them may be code: what the settings name is
 * trusted, what a caller names must lie within the roots.
 *
 * <p>Symbolic links are resolved at each question. Any thread; blocks on the file system.
 */
public final class LoadPolicy {
  private static final int DEEPEST = 32;

  /** Several ticks of the clock of a file system. */
  private static final long SETTLED_MILLIS = 50;

  private static final int MOST_LOOKS = 20;
  private final TrustConfig trust;
  private final List<Path> configured;

  /** Folders of the models that a file lists; they change with it. */
  private volatile List<Path> listed = List.of();

  /** Folders of the models served now that no setting names, but a caller did. */
  private volatile Set<Path> named = Set.of();

  /**
   * @param configured the models that the settings name
   */
  public LoadPolicy(TrustConfig trust, DesiredModels configured) {
    this.trust = trust;
    this.configured =
        Stream.concat(configured.directories().stream(), folders(configured.listed())).toList();
  }

  private static Stream<Path> folders(Map<String, ListedModel> models) {
    return models.values().stream().map(ListedModel::folder);
  }

  /** Returns whether a SavedModel may come with a load request. */
  boolean uploadedSavedModels() {
    return trust.uploadedSavedModels();
  }

  /**
   * Admits the models that a file lists, which was named by the settings: unless these name roots
   * too, its paths are roots themselves.
   *
   * @throws InferenceException with PERMISSION_DENIED that names the path, the roots and the
   *     setting
   */
  public void requireListed(Map<String, ListedModel> models) {
    if (!trust.roots().isEmpty()) {
      models.forEach((name, model) -> require(name, model.folder()));
    }
    listed = folders(models).toList();
    named = Set.of();
  }

  /**
   * Admits the models that a caller lists.
   *
   * @throws InferenceException with PERMISSION_DENIED that names the path, the roots and the
   *     setting
   */
  public void requireNamed(Map<String, ListedModel> models) {
    models.forEach((name, model) -> require(name, model.folder()));
    named =
        folders(models)
            .filter(folder -> !configured.contains(folder) && !listed.contains(folder))
            .collect(Collectors.toUnmodifiableSet());
  }

  private void require(String model, Path path) {
    Path real = real(path);
    if (!isWithin(real, roots())) {
      throw new InferenceException(
          ErrorCode.PERMISSION_DENIED,
          "Model %s: %s%s lies outside the folders that may be loaded from (%s); wanted a folder in"
                  .formatted(model, path, real.equals(path) ? "" : ", which is " + real, text())
              + " one of them, or the setting models.roots to name one above it");
    }
  }

  private List<Path> roots() {
    return trust.roots().isEmpty()
        ? Stream.concat(configured.stream(), listed.stream()).distinct().toList()
        : trust.roots();
  }

  private String text() {
    List<Path> roots = roots();
    return roots.isEmpty()
        ? "there are none"
        : roots.stream().map(Path::toString).collect(Collectors.joining(", "));
  }

  /**
   * Requires that a version to be loaded, and every file in it, lies where it may if a caller named
   * its model. Waits until the folder has settled.
   *
   * @return what lies there, if a caller named it, and anything lies outside the roots
   * @throws InferenceException with PERMISSION_DENIED that names the file, UNAVAILABLE if the
   *     folder changes all the time
   */
  public Optional<FolderState> requireLoad(ModelId id, Path folder) {
    if (!isNamedByCaller(folder) || roots().stream().anyMatch(root -> root.getNameCount() == 0)) {
      return Optional.empty();
    }
    FolderState state = settled(id, folder);
    require(id.name(), folder);
    if (Files.isDirectory(folder)) {
      walk(id, folder);
    }
    return Optional.of(state);
  }

  /** Times of changes are those of a clock that ticks some hundred times a second. */
  private FolderState settled(ModelId id, Path folder) {
    List<Path> roots = roots().stream().map(LoadPolicy::real).toList();
    try {
      for (int look = 0; look < MOST_LOOKS; look++) {
        Instant now = Instant.now();
        FolderState state = FolderState.of(folder, roots);
        if (state.isOlderThan(now.minusMillis(SETTLED_MILLIS))) {
          return state;
        }
        Thread.sleep(SETTLED_MILLIS);
      }
    } catch (IOException e) {
      throw unreadable(id, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    throw new InferenceException(
        ErrorCode.UNAVAILABLE, "model %s: files in %s go on changing".formatted(id, folder));
  }

  private static InferenceException unreadable(ModelId id, IOException why) {
    return new InferenceException(
        ErrorCode.UNAVAILABLE, "model %s cannot be read: %s".formatted(id, why), why);
  }

  private boolean isNamedByCaller(Path folder) {
    return named.stream().anyMatch(folder::startsWith);
  }

  private void walk(ModelId id, Path folder) {
    try {
      Files.walkFileTree(
          folder, EnumSet.of(FileVisitOption.FOLLOW_LINKS), DEEPEST, new LinkCheck(id));
    } catch (IOException e) {
      throw unreadable(id, e);
    }
  }

  private final class LinkCheck extends SimpleFileVisitor<Path> {
    private final ModelId id;

    LinkCheck(ModelId id) {
      this.id = id;
    }

    @Override
    public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
      require(id.name(), folder);
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
      if (Files.isSymbolicLink(file)) {
        require(id.name(), file);
      }
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException fault) throws IOException {
      if (fault instanceof FileSystemLoopException) {
        return FileVisitResult.CONTINUE;
      }
      throw fault;
    }
  }

  /**
   * Requires that a setting allows the jars of a version to run: one that names the model, unless a
   * caller chose its folder, or one that names a folder above each jar.
   *
   * @throws InferenceException with FAILED_PRECONDITION that names the jars and the setting
   */
  public void requirePlugins(ModelId id, Path folder, List<Path> jars) {
    boolean byName = trust.pluginModels().contains(id.name()) && !isNamedByCaller(folder);
    if (!byName && !jars.stream().allMatch(jar -> isWithin(real(jar), trust.pluginFolders()))) {
      throw new InferenceException(
          ErrorCode.FAILED_PRECONDITION,
          "model %s is code (%s), which no setting allows to run; wanted the setting models.plugins to name %s"
              .formatted(
                  id,
                  jars.stream().map(Path::toString).collect(Collectors.joining(", ")),
                  isNamedByCaller(folder)
                      ? "the folder " + folder
                      : "the model '%s' or the folder %s".formatted(id.name(), folder)));
    }
  }

  private static boolean isWithin(Path real, Collection<Path> folders) {
    return folders.stream().anyMatch(folder -> real.startsWith(real(folder)));
  }

  /** Returns the path without symbolic links, as far as it exists. */
  private static Path real(Path path) {
    Path absolute = path.toAbsolutePath();
    List<Path> missing = new ArrayList<>();
    @Nullable Path there = absolute;
    while (there != null) {
      try {
        Path real = there.toRealPath();
        for (Path name : missing.reversed()) {
          real = real.resolve(name);
        }
        return real.normalize();
      } catch (java.nio.file.NoSuchFileException | java.nio.file.NotDirectoryException _) {
        if (there.getFileName() != null) {
          missing.add(there.getFileName());
        }
        there = there.getParent();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return absolute.normalize();
  }
}
