package dev.sluice.repository.scan;

import dev.sluice.config.binding.FileProblem;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Looks at the folder of one model.
 *
 * <p>Sees names, sizes and times, never contents.
 */
public final class ModelFolder {
  private static final Set<String> SETTINGS_FILES = Set.of("model.yml", "config.pbtxt");
  private static final Set<String> MODEL_FILES =
      Set.of(
          "model.onnx",
          "decoder_model_merged.onnx",
          "saved_model.pb",
          "saved_model.pbtxt",
          "model.savedmodel");

  /** The names that a model's files may have, for error texts. */
  public static final String WANTED =
      "saved_model.pb, saved_model.pbtxt, NAME.savedmodel, NAME.onnx, NAME.jar";

  /** The folder of graphs in one that lies as it is published on Hugging Face. */
  private static final String GRAPHS = "onnx";

  /** One of these lies beside it. */
  private static final List<String> PUBLISHED = List.of("config.json", "tokenizer.json");

  /** The number of the version whose files lie directly in the model's folder. */
  private static final long ONLY_VERSION = 1;

  private final String model;
  private final Path folder;
  private final Consumer<String> warnings;
  private final TreeMap<Long, ScannedVersion> versions = new TreeMap<>();

  private ModelFolder(String model, Path folder, Consumer<String> warnings) {
    this.model = model;
    this.folder = folder;
    this.warnings = warnings;
  }

  /** Reads the folder, but no file. */
  static ScannedModel poll(String model, Path folder, Consumer<String> warnings)
      throws IOException {
    if (Files.isRegularFile(folder)) {
      return lookAtFile(folder);
    }
    return new ModelFolder(model, folder, warnings).poll();
  }

  /** Polls a model that is one file: it has one version and no settings of its own. */
  private static ScannedModel lookAtFile(Path file) throws IOException {
    Fingerprint stamp = FingerprintReader.read(parent(file), file::equals);
    var version = new ScannedVersion(ONLY_VERSION, file, isNamedModel(fileName(file)), stamp);
    return new ScannedModel(file, Fingerprint.NONE, new TreeMap<>(Map.of(ONLY_VERSION, version)));
  }

  private static Path parent(Path file) {
    return Objects.requireNonNull(file.toAbsolutePath().getParent());
  }

  private static String fileName(Path file) {
    return String.valueOf(file.getFileName());
  }

  private ScannedModel poll() throws IOException {
    List<Path> children = children(folder);
    for (Path child : children) {
      OptionalLong number = number(child);
      if (number.isPresent() && Files.isDirectory(child)) {
        addFolder(number.getAsLong(), child);
      }
    }
    addOnlyVersion(children);
    return new ScannedModel(folder, FingerprintReader.read(folder, this::isSettings), versions);
  }

  private void addFolder(long number, Path child) {
    ScannedVersion before = versions.put(number, version(number, child));
    if (before != null) {
      warnAboutTwo(number, before.folder(), child);
    }
  }

  private void addOnlyVersion(List<Path> children) {
    if (MODEL_FILES.stream().noneMatch(file -> Files.exists(folder.resolve(file)))
        && !isFolderOfOneFile(children)
        && !isFolderOfCode(children)
        && !isFolderOfLite(children)
        && !isPublished()) {
      return;
    }
    ScannedVersion numbered = versions.get(ONLY_VERSION);
    if (numbered == null) {
      versions.put(ONLY_VERSION, onlyVersion());
    } else {
      warnAboutTwo(ONLY_VERSION, folder, numbered.folder());
    }
  }

  /**
   * Returns whether a folder is a model of one file: an ONNX file of another name is the model if
   * no other and no numbered version is there.
   */
  private boolean isFolderOfOneFile(List<Path> children) {
    return versions.isEmpty()
        && children.stream()
                .filter(child -> fileName(child).endsWith(".onnx") && Files.isRegularFile(child))
                .count()
            == 1;
  }

  /** So is a plugin. */
  private boolean isFolderOfCode(List<Path> children) {
    return versions.isEmpty()
        && children.stream()
            .anyMatch(child -> fileName(child).endsWith(".jar") && Files.isRegularFile(child));
  }

  /** Returns whether it is a folder as Hugging Face has it: the graph lies in a folder in it. */
  private boolean isPublished() {
    return versions.isEmpty()
        && Files.exists(folder.resolve(GRAPHS))
        && PUBLISHED.stream().anyMatch(name -> Files.exists(folder.resolve(name)));
  }

  /** TensorFlow Lite files are no model here, but the version has to say so. */
  private boolean isFolderOfLite(List<Path> children) {
    return versions.isEmpty()
        && children.stream().anyMatch(child -> fileName(child).endsWith(".tflite"));
  }

  private void warnAboutTwo(long number, Path first, Path taken) {
    warnings.accept(
        "Model %s: both %s and %s are version %d; %s is taken"
            .formatted(model, first, taken, number, taken));
  }

  private ScannedVersion version(long number, Path child) {
    Fingerprint files = fingerprint(child, false);
    return new ScannedVersion(number, child, holdsModel(files), files);
  }

  private ScannedVersion onlyVersion() {
    Fingerprint files = fingerprint(folder, true);
    return new ScannedVersion(ONLY_VERSION, folder, holdsModel(files), files);
  }

  private boolean isSettings(Path path) {
    return folder.equals(path.getParent())
        && SETTINGS_FILES.contains(path.getFileName().toString());
  }

  /**
   * Returns the fingerprint of a folder; one that cannot be read looks empty, and an empty folder
   * is waited for.
   */
  private Fingerprint fingerprint(Path below, boolean alone) {
    try {
      return FingerprintReader.read(below, path -> !alone || belongsToOnlyVersion(path));
    } catch (NoSuchFileException _) {
      // it changed while we looked: the next look will see it whole
      return Fingerprint.NONE;
    } catch (IOException e) {
      warnings.accept("Model %s: %s %s".formatted(model, below, FileProblem.of(e)));
      return Fingerprint.NONE;
    }
  }

  /** Returns the settings and the numbered versions beside it are not part of it. */
  private boolean belongsToOnlyVersion(Path path) {
    return !folder.equals(path.getParent()) || !(isSettings(path) || number(path).isPresent());
  }

  private static boolean holdsModel(Fingerprint files) {
    return files.files().stream()
        .map(file -> Path.of(file.name()))
        .anyMatch(ModelFolder::isPartOfModel);
  }

  private static boolean isPartOfModel(Path file) {
    String first = file.getName(0).toString();
    boolean published = first.equals(GRAPHS) && isNamedModel(fileName(file));
    return MODEL_FILES.contains(first) || isNamedModel(first) || published;
  }

  /** Returns whether it is a model under a name of its own, or a plugin. */
  private static boolean isNamedModel(String name) {
    return !name.startsWith(".")
        && (name.endsWith(".onnx") || name.endsWith(".savedmodel") || name.endsWith(".jar"));
  }

  /**
   * Returns the version a folder's name stands for: ASCII digits, within 64 bits, leading zeros
   * allowed.
   */
  static OptionalLong number(Path folder) {
    String name = folder.getFileName().toString();
    if (name.isEmpty() || !name.chars().allMatch(c -> c >= '0' && c <= '9')) {
      return OptionalLong.empty();
    }
    try {
      return OptionalLong.of(Long.parseLong(name));
    } catch (NumberFormatException _) {
      return OptionalLong.empty();
    }
  }

  /** Returns the children of a folder, sorted by name, without hidden ones. */
  public static List<Path> children(Path folder) throws IOException {
    List<Path> children = new ArrayList<>();
    try (DirectoryStream<Path> stream = Files.newDirectoryStream(folder)) {
      for (Path child : stream) {
        if (!child.getFileName().toString().startsWith(".")) {
          children.add(child);
        }
      }
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    children.sort(null);
    return children;
  }
}
