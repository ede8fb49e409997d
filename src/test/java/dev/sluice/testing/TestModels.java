package dev.sluice.testing;

import dev.sluice.config.model.RuntimesConfig;
import dev.sluice.inference.ModelId;
import dev.sluice.runtime.ModelSource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The models in the source tree. */
public final class TestModels {
  private static final Path ROOT = Path.of(System.getProperty("basedir", "")).toAbsolutePath();

  /** How often the slow model goes through its loop. */
  private static final long SLOW_ROUNDS = 34_000;

  private TestModels() {}

  /** The folder of an ONNX model with recorded data. */
  public static Path onnx(String name) {
    return ROOT.resolve("src/test/models/onnx").resolve(name);
  }

  /** The folder of a model that takes about 300 ms of one core. */
  public static Path slow() {
    return ROOT.resolve("src/test/models/oip/slow/1");
  }

  /** Writes the same model into the folder of a version, made to take a number of times as long. */
  public static void writeSlow(Path version, int times) throws IOException {
    ByteBuffer model =
        ByteBuffer.wrap(Files.readAllBytes(slow().resolve("model.onnx")))
            .order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i <= model.limit() - Long.BYTES; i++) {
      if (model.getLong(i) == SLOW_ROUNDS) {
        Files.createDirectories(version);
        Files.write(version.resolve("model.onnx"), model.putLong(i, times * SLOW_ROUNDS).array());
        return;
      }
    }
    throw new AssertionError("no rounds in " + slow());
  }

  /** The repository of models that scikit-learn's converters could have written. */
  public static Path tabular() {
    return ROOT.resolve("src/test/models/tabular");
  }

  /** The folder of a version of a SavedModel. */
  public static Path savedModel(String name, String version) {
    return ROOT.resolve("src/test/models/tfs").resolve(name).resolve(version);
  }

  /** The folder of a step function. */
  public static Path step(String name) {
    return ROOT.resolve("src/test/models/steps").resolve(name);
  }

  /** The folder of a version of a model that the server comes with. */
  public static Path sample(String name, String version) {
    return ROOT.resolve("src/sample/models").resolve(name).resolve(version);
  }

  /** Copies a folder of files, and makes the one that it goes into. */
  public static void copy(Path from, Path to) throws IOException {
    Files.createDirectories(to.getParent());
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(from.relativize(file).toString()));
      }
    }
  }

  /**
   * Writes an ensemble below a folder of models.
   *
   * @param steps in YAML, one behind the other
   */
  public static void ensemble(Path models, String name, String steps) throws IOException {
    ensemble(models, name, steps, "");
  }

  /**
   * The same with outputs that steps take, too.
   *
   * @param outputs in YAML, separated by commas
   */
  public static void ensemble(Path models, String name, String steps, String outputs)
      throws IOException {
    Path folder = Files.createDirectories(models.resolve(name));
    Files.createDirectories(folder.resolve("1"));
    Files.writeString(
        folder.resolve("model.yml"),
        "ensemble: { steps: ["
            + steps
            + "]"
            + (outputs.isEmpty() ? "" : ", outputs: [" + outputs + "]")
            + " }\n");
  }

  /** A model's folder under a name and version 1, with the default settings. */
  public static ModelSource source(Path folder) {
    return new ModelSource(new ModelId("test", 1), folder, RuntimesConfig.DEFAULT);
  }

  /** Folders of all ONNX models with recorded data. */
  public static List<Path> allOnnx() throws IOException {
    return folders(onnx(""), "");
  }

  /** Folders of a model's recorded inputs and outputs. */
  public static List<Path> dataSets(Path model) throws IOException {
    return folders(model, "test_data_set_");
  }

  /** The recorded tensor, such as {@code input_0.pb}, files of a data set in order. */
  public static List<Path> recorded(Path dataSet, String kind) {
    return Stream.iterate(0, i -> i + 1)
        .map(i -> dataSet.resolve(kind + "_" + i + ".pb"))
        .takeWhile(Files::exists)
        .toList();
  }

  private static List<Path> folders(Path parent, String prefix) throws IOException {
    try (Stream<Path> files = Files.list(parent)) {
      return files
          .filter(Files::isDirectory)
          .filter(folder -> folder.getFileName().toString().startsWith(prefix))
          .sorted()
          .toList();
    }
  }
}
