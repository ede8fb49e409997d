package dev.sluice.serving;

import dev.sluice.config.binding.FileProblem;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads the files whose lines name an output's classes, in their order.
 *
 * <p>Blocks; read when a model is loaded.
 */
public final class ClassLabels {
  /** Bytes of a file: more than a name of some length for each of the classes of any model. */
  private static final long LARGEST = 64L * 1024 * 1024;

  private ClassLabels() {}

  /**
   * Reads all files of a model. Blocks.
   *
   * @param files by output
   * @throws InferenceException with FAILED_PRECONDITION that names the file and what is wrong
   */
  public static Map<String, List<String>> read(Map<String, Path> files) {
    Map<String, List<String>> labels = new HashMap<>();
    files.forEach((output, file) -> labels.put(output, read(file)));
    return labels;
  }

  private static List<String> read(Path file) {
    try {
      if (Files.size(file) > LARGEST) {
        throw failure(file, "has more than " + LARGEST + " bytes");
      }
      return List.copyOf(Files.readAllLines(file));
    } catch (IOException e) {
      throw failure(file, FileProblem.of(e));
    }
  }

  private static InferenceException failure(Path file, String what) {
    return new InferenceException(
        ErrorCode.FAILED_PRECONDITION, "the file of class labels " + file + " " + what);
  }
}
