package dev.sluice.testing;

import dev.sluice.config.RuntimesConfig;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.Signature;
import dev.sluice.runtime.ModelSession;
import dev.sluice.runtime.ModelSource;
import dev.sluice.runtime.onnx.OnnxRuntimeProvider;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;

/** Models that answer by streams, and the loops that they are run in, written by hand. */
public final class StepModels {
  /** Steps of a decoder's stream, unless it stops before. */
  public static final int STEPS = 24;

  private static final int TOKENS = 32;
  private static final int WIDTH = 8;

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
    return settings(
        folder,
        """
        max_batch_size: 64
        stream:
          feedback: { "present.*": "past.*" }
          next: { from: logits, to: ids }
          stop: { steps: %d }
          %s
        """
            .formatted(STEPS, settings));
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
    return new OnnxRuntimeProvider()
        .open(new ModelSource(new ModelId("bare", 1), folder, RuntimesConfig.DEFAULT));
  }

  /** What a decoder says after a prompt: the largest logit each time, in a plain loop. */
  public static List<Integer> loop(ModelSession session, long... prompt) {
    Signature signature =
        Objects.requireNonNull(session.metadata().signatures().get(Signature.DEFAULT));
    var said = new ArrayList<Integer>();
    Tensor ids = ids(prompt);
    Tensor past = Tensor.allocate(DataType.FP32, Shape.of(1, 0, WIDTH));
    while (said.size() < STEPS) {
      List<NamedTensor> outputs =
          session.run(
              signature,
              List.of(new NamedTensor("ids", ids), new NamedTensor("past.0", past)),
              signature.outputs());
      ids.close();
      past.close();
      past = outputs.getLast().tensor();
      said.add(largest(outputs.getFirst().tensor()));
      outputs.getFirst().close();
      ids = ids(said.getLast());
    }
    ids.close();
    past.close();
    return said;
  }

  private static Tensor ids(long... values) {
    Tensor tensor = Tensor.allocate(DataType.INT64, Shape.of(1, values.length));
    for (int i = 0; i < values.length; i++) {
      tensor.data().setAtIndex(ValueLayout.JAVA_LONG, i, values[i]);
    }
    return tensor;
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
