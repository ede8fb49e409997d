package dev.sluice.testing;

import dev.sluice.config.model.RuntimesConfig;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.Signature;
import dev.sluice.runtime.ModelSession;
import dev.sluice.runtime.ModelSource;
import dev.sluice.runtime.RuntimeProvider;
import dev.sluice.runtime.onnx.OnnxRuntimeProvider;
import dev.sluice.runtime.tensorflow.TensorflowRuntimeProvider;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorSpec;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.LongStream;

/** Models that answer by streams, and the loops that they are run in, written by hand. */
public final class StepModels {
  /** Steps of a decoder's stream, unless it stops before. */
  public static final int STEPS = 24;

  private static final int TOKENS = 32;
  private static final int WIDTH = 8;

  /** Of the cache that does not grow. */
  private static final int PLACES = 32;

  private StepModels() {}

  /**
   * A decoder of one layer: its cache is all that it was given so far, and its logits are sums of
   * whole numbers, exact whatever stands beside them.
   *
   * @param settings of its {@code model.yml}, below {@code stream}
   */
  public static Path decoder(Path models, String name, String settings) throws IOException {
    var random = new SplittableRandom(7);
    Path folder = Files.createDirectories(models.resolve(name));
    new OnnxModelWriter()
        .input("ids", OnnxModelWriter.INT64, "batch", "length")
        .input("past.0", OnnxModelWriter.FLOAT, "batch", "before", Integer.toString(WIDTH))
        .output("logits", OnnxModelWriter.FLOAT, "batch", "one", Integer.toString(TOKENS))
        .output("present.0", OnnxModelWriter.FLOAT, "batch", "all", Integer.toString(WIDTH))
        .matrix("table", TOKENS, WIDTH, whole(random, TOKENS * WIDTH))
        .matrix("head", WIDTH, TOKENS, whole(random, WIDTH * TOKENS))
        .integers("axis", 1)
        .node("Gather", "embedded", "table", "ids")
        .nodeAlong(1, "Concat", "present.0", "past.0", "embedded")
        .node("ReduceSum", "context", "present.0", "axis")
        .node("MatMul", "logits", "context", "head")
        .writeTo(folder);
    return loop(folder, "feedback: { \"present.*\": \"past.*\" }\n  " + settings);
  }

  /** A decoder of the same kind, as a SavedModel: its names have no dots. */
  public static Path savedDecoder(Path models, String name) throws IOException {
    Path folder = models.resolve(name);
    TestModels.copy(TestModels.step("decoder"), folder);
    return loop(folder, "feedback: { \"present_*\": \"past_*\" }");
  }

  /**
   * A decoder whose cache has a fixed number of places: a step writes where {@code at} says, and
   * reads what {@code mask} shows. Places begin with noise, which a mask that is wrong lets in.
   */
  public static Path placed(Path models, String name) throws IOException {
    var random = new SplittableRandom(8);
    Path folder = Files.createDirectories(models.resolve(name));
    var model =
        new OnnxModelWriter()
            .input("ids", OnnxModelWriter.INT64, "batch", "length")
            .input("past", OnnxModelWriter.FLOAT, "batch", "32", Integer.toString(WIDTH))
            .input("at", OnnxModelWriter.INT64, "batch", "length")
            .input("mask", OnnxModelWriter.INT64, "batch", "seen")
            .output("logits", OnnxModelWriter.FLOAT, "batch", "one", Integer.toString(TOKENS))
            .output("present", OnnxModelWriter.FLOAT, "batch", "32", Integer.toString(WIDTH))
            .matrix("table", TOKENS, WIDTH, whole(random, TOKENS * WIDTH))
            .matrix("head", WIDTH, TOKENS, whole(random, WIDTH * TOKENS))
            .matrix("noise", PLACES, WIDTH, whole(random, PLACES * WIDTH))
            .initializer("none", 0)
            .initializer("one", 1)
            .initializer("off_on", 0, 1)
            .integers("places", PLACES)
            .integers("start", 0)
            .integers("first", 1)
            .integers("second", 2);
    written(model);
    shown(model);
    model
        .node("ReduceSum", "context", "shown", "first")
        .node("MatMul", "logits", "context", "head")
        .writeTo(folder);
    return loop(folder, "feedback: { present: past }\n  position: at\n  mask: mask");
  }

  /** What was there, with the new tokens in their places. */
  private static void written(OnnxModelWriter model) {
    model
        .node("Gather", "embedded", "table", "ids")
        .node("OneHot", "rows", "at", "places", "off_on")
        .node("", "Transpose", Map.of("perm", new long[] {0, 2, 1}), List.of("columns"), "rows")
        .node("MatMul", "new", "columns", "embedded")
        .node("ReduceSum", "taken", "columns", "second")
        .node("Sub", "free", "one", "taken")
        .node("Mul", "kept", "past", "free")
        .node("Add", "present", "kept", "new");
  }

  /** That, where the mask has a one. */
  private static void shown(OnnxModelWriter model) {
    model
        .node("", "Cast", Map.of("to", (long) OnnxModelWriter.FLOAT), List.of("seen"), "mask")
        .node("", "ReduceSum", Map.of("keepdims", 0L), List.of("sums"), "past", "second")
        .node("Mul", "unseen", "sums", "none")
        .nodeAlong(1, "Concat", "padded", "seen", "unseen")
        .node("Slice", "visible", "padded", "start", "places", "first")
        .node("Unsqueeze", "shades", "visible", "second")
        .node("Add", "noisy", "present", "noise")
        .node("Mul", "shown", "noisy", "shades");
  }

  /**
   * A model that recites: whatever its prompt, the likeliest tokens are these, one after the other,
   * and the last one again and again.
   *
   * @param vocabulary number of tokens that there are
   * @param settings of its {@code model.yml}, below {@code stream}
   */
  public static Path recital(
      Path models, String name, int vocabulary, long[] tokens, String settings) throws IOException {
    var table = new float[tokens.length * vocabulary];
    for (int i = 0; i < tokens.length; i++) {
      table[i * vocabulary + (int) tokens[i]] = 9;
    }
    Path folder = Files.createDirectories(models.resolve(name));
    new OnnxModelWriter()
        .input("ids", OnnxModelWriter.INT64, "batch", "length")
        .input("at", OnnxModelWriter.INT64, "batch", "1")
        .output("logits", OnnxModelWriter.FLOAT, "batch", "1", Integer.toString(vocabulary))
        .output("then", OnnxModelWriter.INT64, "batch", "1")
        .matrix("table", tokens.length, vocabulary, table)
        .integers("one", 1)
        .integers("last", tokens.length - 1)
        .node("Gather", "logits", "table", "at")
        .node("Add", "more", "at", "one")
        .node("Min", "then", "more", "last")
        .writeTo(folder);
    return settings(
        folder,
        """
        max_batch_size: 16
        stream:
          feedback: { then: at }
          next: { from: logits, to: ids }
          %s
        """
            .formatted(settings));
  }

  private static Path loop(Path folder, String settings) throws IOException {
    return settings(
        folder,
        """
        max_batch_size: 64
        stream:
          %s
          next: { from: logits, to: ids }
          stop: { steps: %d }
        """
            .formatted(settings, STEPS));
  }

  private static float[] whole(SplittableRandom random, int count) {
    var values = new float[count];
    for (int i = 0; i < count; i++) {
      values[i] = random.nextInt(-4, 5);
    }
    return values;
  }

  /** A step that adds one. */
  public static Path counter(Path models, String stream) throws IOException {
    Path folder = Files.createDirectories(models.resolve("counter"));
    new OnnxModelWriter()
        .input("x", OnnxModelWriter.FLOAT, "batch", "1")
        .output("y", OnnxModelWriter.FLOAT, "batch", "1")
        .initializer("one", 1)
        .node("Add", "y", "x", "one")
        .writeTo(folder);
    return settings(folder, "max_batch_size: 8\nstream: " + stream + "\n");
  }

  /** A step that adds one, and shows what it has 2,048 times. */
  public static Path wideCounter(Path models, String name, int steps) throws IOException {
    var ones = new float[2_048];
    Arrays.fill(ones, 1);
    Path folder = Files.createDirectories(models.resolve(name));
    new OnnxModelWriter()
        .input("x", OnnxModelWriter.FLOAT, "batch", "1")
        .output("y", OnnxModelWriter.FLOAT, "batch", "1")
        .output("wide", OnnxModelWriter.FLOAT, "batch", Integer.toString(ones.length))
        .initializer("one", 1)
        .matrix("ones", 1, ones.length, ones)
        .node("Add", "y", "x", "one")
        .node("MatMul", "wide", "y", "ones")
        .writeTo(folder);
    return settings(
        folder,
        """
        max_batch_size: 8
        stream: { feedback: { y: x }, stop: { steps: %d } }
        """
            .formatted(steps));
  }

  /** A table of four numbers that is looked into, row by row; other places are not there. */
  public static Path table(Path models, String name, String settings) throws IOException {
    Path folder = Files.createDirectories(models.resolve(name));
    new OnnxModelWriter()
        .input("at", OnnxModelWriter.INT64, "n")
        .output("value", OnnxModelWriter.FLOAT, "n")
        .initializer("table", 10, 11, 12, 13)
        .node("Gather", "value", "table", "at")
        .writeTo(folder);
    return settings(folder, settings);
  }

  private static Path settings(Path folder, String text) throws IOException {
    Files.writeString(folder.resolve("model.yml"), text);
    return folder;
  }

  /** A decoder's session, without a server around it. */
  public static ModelSession open(Path folder) {
    var onnx = new OnnxRuntimeProvider();
    RuntimeProvider runtime = onnx.recognises(folder) ? onnx : new TensorflowRuntimeProvider();
    return runtime.open(new ModelSource(new ModelId("bare", 1), folder, RuntimesConfig.DEFAULT));
  }

  /** What a decoder says after a prompt: the largest logit each time, in a plain loop. */
  public static List<Integer> loop(ModelSession session, long... prompt) {
    String past =
        signature(session).inputs().stream()
            .map(TensorSpec::name)
            .filter(name -> name.startsWith("past"))
            .findFirst()
            .orElseThrow();
    var said = new ArrayList<Integer>();
    long[] ids = prompt;
    Tensor cache = Tensor.allocate(DataType.FP32, Shape.of(1, 0, WIDTH));
    while (said.size() < STEPS) {
      cache = step(session, said, new NamedTensor(past, cache), numbers("ids", ids));
      ids = new long[] {said.getLast()};
    }
    cache.close();
    return said;
  }

  /**
   * What the decoder of {@link #placed} says after a prompt, in a plain loop.
   *
   * @param at the place of the prompt's first token
   * @param mask of the prompt's step
   */
  public static List<Integer> placedLoop(
      ModelSession session, long[] prompt, long at, long... mask) {
    var said = new ArrayList<Integer>();
    long[] ids = prompt;
    long[] places = LongStream.range(at, at + prompt.length).toArray();
    long[] seen = mask;
    Tensor cache = Tensor.allocate(DataType.FP32, Shape.of(1, PLACES, WIDTH));
    cache.data().fill((byte) 0);
    while (said.size() < STEPS) {
      cache =
          step(
              session,
              said,
              new NamedTensor("past", cache),
              numbers("ids", ids),
              numbers("at", places),
              numbers("mask", seen));
      ids = new long[] {said.getLast()};
      places = new long[] {places[places.length - 1] + 1};
      seen = Arrays.copyOf(seen, seen.length + 1);
      seen[seen.length - 1] = 1;
    }
    cache.close();
    return said;
  }

  /** Adds what one step says. Takes the inputs over; the caller owns the cache that it returns. */
  private static Tensor step(
      ModelSession session, List<Integer> said, NamedTensor cache, NamedTensor... others) {
    Signature signature = signature(session);
    var inputs = new ArrayList<>(List.of(others));
    inputs.add(cache);
    List<NamedTensor> outputs =
        session.run(
            signature,
            inputs,
            List.of(
                signature.output("logits").orElseThrow(),
                signature.output(cache.name().replace("past", "present")).orElseThrow()));
    NamedTensor.closeAll(inputs);
    try (Tensor logits = outputs.getFirst().tensor()) {
      said.add(largest(logits));
    }
    return outputs.getLast().tensor();
  }

  private static Signature signature(ModelSession session) {
    return Objects.requireNonNull(session.metadata().signatures().get(Signature.DEFAULT));
  }

  private static NamedTensor numbers(String name, long... values) {
    Tensor tensor = Tensor.allocate(DataType.INT64, Shape.of(1, values.length));
    for (int i = 0; i < values.length; i++) {
      tensor.data().setAtIndex(ValueLayout.JAVA_LONG, i, values[i]);
    }
    return new NamedTensor(name, tensor);
  }

  private static int largest(Tensor logits) {
    float[] values = Tensors.toFloats(logits);
    int best = 0;
    for (int i = 1; i < values.length; i++) {
      best = values[i] > values[best] ? i : best;
    }
    return best;
  }
}
