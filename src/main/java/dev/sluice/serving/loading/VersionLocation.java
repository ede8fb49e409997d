package dev.sluice.serving.loading;

import dev.sluice.config.model.ModelConfig;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelId;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The place of a version's files in its folder: directly, or where Triton's layout has them.
 *
 * <p>Triton lets a SavedModel be a folder inside the version's; TensorFlow Serving's lies there
 * directly. Nothing is read but names.
 */
final class VersionLocation {
  /** Folders that Triton looks into: a SavedModel, or an ONNX model in several files. */
  private static final List<String> FOLDERS = List.of("model.savedmodel", "model.onnx");

  /** The folder of ONNX files in a folder as it is published on Hugging Face. */
  private static final String PUBLISHED = "onnx";

  /** One of these lies beside it. */
  private static final List<String> BESIDE = List.of("config.json", "tokenizer.json");

  private VersionLocation() {}

  /**
   * Returns the folder, or the single file, that a runtime is to open.
   *
   * @throws InferenceException with FAILED_PRECONDITION if the settings name a file that is not
   *     there
   */
  static Path of(Path folder, ModelConfig config) {
    String file = config.declared().getDefaultModelFilename();
    if (!file.isEmpty()) {
      return named(folder, file);
    }
    for (String name : FOLDERS) {
      if (Files.isDirectory(folder.resolve(name))) {
        return folder.resolve(name);
      }
    }
    return isPublished(folder) ? folder.resolve(PUBLISHED) : folder;
  }

  private static boolean isPublished(Path folder) {
    return Files.isDirectory(folder.resolve(PUBLISHED))
        && BESIDE.stream().anyMatch(name -> Files.exists(folder.resolve(name)));
  }

  private static Path named(Path folder, String name) {
    Path file = folder.resolve(name).normalize();
    if (!file.startsWith(folder) || !Files.exists(file)) {
      throw new InferenceException(
          ErrorCode.FAILED_PRECONDITION,
          "default_model_filename is '" + name + "', which is not there in " + folder);
    }
    return file;
  }

  /** Returns the model's folder: the version's own, or the one that it lies in. */
  static Path modelFolder(Path folder, ModelId id) {
    Path above = folder.toAbsolutePath().getParent();
    boolean numbered = String.valueOf(folder.getFileName()).matches("0*" + id.version());
    return numbered && above != null ? above : folder;
  }
}
