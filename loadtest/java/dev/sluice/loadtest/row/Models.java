package dev.sluice.loadtest.row;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.testing.LoopModel;
import dev.sluice.testing.OnnxModelWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/**
 * The models that workloads serve, in folders for one server each: written anew, with the same
 * random weights every time. Each has an input {@code x} and an output {@code y}.
 */
public final class Models {
  /** Rows of a full batch of the large network. */
  static final int BATCH = 64;

  public static final String MLP = "mlp";
  static final String MLP_JOINED = "mlp_joined";
  static final String MLP_INLINE = "mlp_inline";
  public static final String MLP_OF_32 = "mlp_of_32";
  static final String IMAGE = "image";
  static final String LARGE = "large";
  static final String LARGE_BATCHED = "large_batched";
  static final String HALF_ONNX = "half_onnx";
  static final String HALF_SAVED = "half_saved";
  static final String SMALL_ISOLATED = "mlp_isolated";
  static final String LARGE_ISOLATED = "large_isolated";
  static final String LOOP = "loop";

  /** The same with settings by default. */
  static final String LOOP_OPEN = "loop_open";

  static final String STEP = "step";
  static final String LARGE_STEP = "large_step";
  static final String DECODER = "decoder";

  /** The sample chat, whose attention knows how long each row is. */
  static final String CHAT = "chat";

  /** Streams that advance together. */
  static final int STREAMS = 16;

  /** Settings that let requests run together. */
  private static final String JOINED = "max_batch_size: " + BATCH + "\nmax_queue_delay: 0s\n";

  private static final long SEED = 42;
  private static final int FLOAT = OnnxModelWriter.FLOAT;

  private final Path folder;

  private Models(Path folder) {
    this.folder = folder;
  }

  /** Writes all models below a folder. */
  public static Models writeTo(Path folder) {
    var models = new Models(folder);
    try {
      models.mlp("small", MLP, 128, 64, 10);
      models.mlp("small", MLP_JOINED, 128, 64, 10);
      models.settings("small", MLP_JOINED, JOINED);
      models.mlp("small", MLP_INLINE, 128, 64, 10);
      models.settings("small", MLP_INLINE, JOINED + "inline_limit: 50us\n");
      models.mlp("small", MLP_OF_32, 32, 64, 10);
      models.mlp("large", LARGE, 128, 1024, 1024, 10);
      models.mlp("large", LARGE_BATCHED, 128, 1024, 1024, 10);
      models.settings("large", LARGE_BATCHED, JOINED);
      models.isolated(MLP_JOINED, SMALL_ISOLATED, 128, 64, 10);
      models.isolated(LARGE_BATCHED, LARGE_ISOLATED, 128, 1024, 1024, 10);
      models.loop();
      models.image();
      models.halves();
      models.step(STEP, 1_024);
      models.step(LARGE_STEP, 8_192);
      new DecoderModel().writeTo(models.create("decoders", DECODER));
      models.settings("decoders", DECODER, DecoderModel.SETTINGS);
      copy(Path.of("src/sample/models/chat/1"), models.create("decoders", CHAT));
      models.settings("decoders", CHAT, DecoderModel.CHAT_SETTINGS);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return models;
  }

  /** Small networks, and one of them again in batches, and on event loops. */
  public Path small() {
    return folder.resolve("small");
  }

  /** One large network twice: alone, and in batches. */
  Path large() {
    return folder.resolve("large");
  }

  /** A small and a large network, each in the server's process and in one of its own. */
  Path isolated() {
    return folder.resolve("isolated");
  }

  /** A loop that turns as often as its input says, with two workers. */
  Path loops() {
    return folder.resolve("loops");
  }

  /** A model that reads a picture. */
  Path images() {
    return folder.resolve("images");
  }

  /** Half plus two, in both formats. */
  Path half() {
    return folder.resolve("half");
  }

  /** Step functions, to be run in a loop: one with 4 MB of weights, and one with 32 MB. */
  Path streams() {
    return folder.resolve("streams");
  }

  /** Decoders with caches that grow. */
  Path decoders() {
    return folder.resolve("decoders");
  }

  /** The folder of a model's only version. */
  public static Path version(Path models, String model) {
    return models.resolve(model).resolve("1");
  }

  private Path create(String group, String model) throws IOException {
    return Files.createDirectories(version(folder.resolve(group), model));
  }

  private void settings(String group, String model, String yaml) throws IOException {
    Files.writeString(folder.resolve(group).resolve(model).resolve("model.yml"), yaml, UTF_8);
  }

  /** Layers of these widths, all but the last one cut at zero. */
  private void mlp(String group, String model, int... widths) throws IOException {
    var random = new Random(SEED);
    var writer = new OnnxModelWriter();
    int last = widths.length - 1;
    writer.input("x", FLOAT, "rows", Integer.toString(widths[0]));
    String from = "x";
    for (int i = 1; i <= last; i++) {
      writer.matrix("w" + i, widths[i - 1], widths[i], weights(random, widths[i - 1], widths[i]));
      writer.initializer("b" + i, weights(random, 1, widths[i]));
      String to = i == last ? "y" : "sum" + i;
      writer.node("Gemm", to, from, "w" + i, "b" + i);
      from = "layer" + i;
      if (i < last) {
        writer.node("Relu", from, to);
      }
    }
    writer.output("y", FLOAT, "rows", Integer.toString(widths[last]));
    writer.writeTo(create(group, model));
  }

  private void isolated(String here, String isolated, int... widths) throws IOException {
    mlp("isolated", here, widths);
    settings("isolated", here, JOINED);
    mlp("isolated", isolated, widths);
    settings("isolated", isolated, JOINED + "isolation: process\n");
  }

  private static float[] weights(Random random, int rows, int columns) {
    float[] weights = new float[rows * columns];
    for (int i = 0; i < weights.length; i++) {
      weights[i] = (float) (random.nextGaussian() / Math.sqrt(rows));
    }
    return weights;
  }

  private void loop() throws IOException {
    LoopModel.writeRow(folder.resolve("loops"), LOOP);
    settings("loops", LOOP, "concurrency: 2\n");
    LoopModel.writeRow(folder.resolve("loops"), LOOP_OPEN);
  }

  private void image() throws IOException {
    new OnnxModelWriter()
        .input("x", FLOAT, "rows", "3", "224", "224")
        .node("GlobalAveragePool", "y", "x")
        .output("y", FLOAT, "rows", "3", "1", "1")
        .writeTo(create("images", IMAGE));
  }

  /**
   * Two products, 4 KB of weights for each unit of width: several rows cost little more than one.
   */
  private void step(String model, int width) throws IOException {
    var random = new Random(SEED);
    new OnnxModelWriter()
        .input("h", FLOAT, "rows", "512")
        .matrix("in", 512, width, weights(random, 512, width))
        .matrix("out", width, 512, weights(random, width, 512))
        .matrix("head", 512, 1, weights(random, 512, 1))
        .node("MatMul", "wide", "h", "in")
        .node("Relu", "cut", "wide")
        .node("MatMul", "sum", "cut", "out")
        .node("Tanh", "state", "sum")
        .node("MatMul", "y", "state", "head")
        .output("state", FLOAT, "rows", "512")
        .output("y", FLOAT, "rows", "1")
        .writeTo(create("streams", model));
    settings(
        "streams",
        model,
        "max_batch_size: %d\nstream: { feedback: { state: h }, stop: { steps: 500 } }\n"
            .formatted(STREAMS));
  }

  private void halves() throws IOException {
    new OnnxModelWriter()
        .input("x", FLOAT, "rows")
        .initializer("half", 0.5f)
        .initializer("two", 2)
        .node("Mul", "product", "x", "half")
        .node("Add", "y", "product", "two")
        .output("y", FLOAT, "rows")
        .writeTo(create("half", HALF_ONNX));
    copy(Path.of("src/sample/models/half_plus_two/1"), create("half", HALF_SAVED));
  }

  private static void copy(Path from, Path to) throws IOException {
    List<Path> files;
    try (Stream<Path> found = Files.walk(from)) {
      files = found.filter(Files::isRegularFile).toList();
    }
    for (Path file : files) {
      Path target = to.resolve(from.relativize(file).toString());
      Files.createDirectories(target.resolve("..").normalize());
      Files.copy(file, target, StandardCopyOption.REPLACE_EXISTING);
    }
  }
}
