package dev.sluice.testing;

import dev.sluice.config.model.RuntimesConfig;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.Signature;
import dev.sluice.runtime.CacheBranchSession;
import dev.sluice.runtime.ModelSession;
import dev.sluice.runtime.ModelSource;
import dev.sluice.runtime.onnx.OnnxRuntimeProvider;
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

/**
 * A decoder with the inputs and outputs that exporters of language models write: an attention mask,
 * positions and caches of two heads. It adds up what the mask shows of its cache, which is of whole
 * numbers: its logits are exact in whatever order they are added, and wrong as soon as the mask
 * shows padding, or a token has another position.
 *
 * @param positions where a token's position comes from
 * @param cache ONNX's type of the cache
 * @param merged whether it has two branches, as Optimum merges decoders: that for prompts reads no
 *     cache, and that for what comes behind one fails without
 */
public record MaskedDecoder(Positions positions, int cache, boolean merged) {
  /** A decoder without branches. */
  public MaskedDecoder(Positions positions, int cache) {
    this(positions, cache, false);
  }

  /** Where the position of a token comes from. */
  public enum Positions {
    /** The input {@code position_ids}. */
    GIVEN,
    /** The ones of the mask before it. */
    OF_MASK,
    /** The length of the mask: whatever is in front of a row moves it. */
    OF_LENGTH,
    /** The tokens before it in its step: a step does not know what is in its caches. */
    OF_STEP,
    /** A number that all rows have in common: where the step begins. */
    COMMON
  }

  public static final int FLOAT16 = 10;

  private static final int TOKENS = 32;
  private static final int WIDTH = 8;
  private static final int PLACES = 512;

  /** Writes the model, to be run in a loop of so many steps. */
  public Path writeTo(Path models, String name, int steps, String settings) throws IOException {
    Path folder = Files.createDirectories(models.resolve(name));
    var random = new SplittableRandom(9);
    OnnxModelWriter model =
        new OnnxModelWriter()
            .input("input_ids", OnnxModelWriter.INT64, "batch", "length")
            .input("attention_mask", OnnxModelWriter.INT64, "batch", "total")
            .input("past_key_values.0.key", cache, "batch", "2", "past", "4")
            .output("logits", OnnxModelWriter.FLOAT, "batch", "one", Integer.toString(TOKENS))
            .output("present.0.key", cache, "batch", "2", "total", "4")
            .matrix("table", TOKENS, WIDTH, whole(random, TOKENS * WIDTH, 4))
            .matrix("places", PLACES, WIDTH, whole(random, PLACES * WIDTH, 2))
            .matrix("head", WIDTH, TOKENS, whole(random, WIDTH * TOKENS, 4))
            .initializer("one", 1)
            .integers("int_one", 1)
            .integers("int_zero", 0)
            .integers("far", Integer.MAX_VALUE)
            .integers("around", 1, 3)
            .integers("length_axis", 2)
            .integers("heads", 0, 0, 2, 4)
            .integers("flat", 0, 1, WIDTH);
    placed(model);
    cached(model);
    model.writeTo(folder);
    Files.writeString(folder.resolve("model.yml"), yaml(steps, settings));
    return folder;
  }

  private void placed(OnnxModelWriter model) {
    if (positions == Positions.GIVEN) {
      model
          .input("position_ids", OnnxModelWriter.INT64, "batch", "length")
          .node("Identity", "at", "position_ids");
      return;
    }
    if (positions == Positions.OF_STEP || positions == Positions.COMMON) {
      model
          .node("Mul", "nothing", "input_ids", "int_zero")
          .node("Add", "all", "nothing", "int_one")
          .node("CumSum", "sums", "all", "int_one")
          .node("Sub", "before", "sums", "int_one");
      if (positions == Positions.COMMON) {
        model
            .input("position_ids", OnnxModelWriter.INT64)
            .node("Add", "at", "before", "position_ids");
      } else {
        model.node("Identity", "at", "before");
      }
      return;
    }
    model
        .node(
            "Mul",
            "counted",
            "attention_mask",
            positions == Positions.OF_MASK ? "int_one" : "int_zero")
        .node("Add", "all", "counted", positions == Positions.OF_MASK ? "int_zero" : "int_one")
        .node("CumSum", "sums", "all", "int_one")
        .node("Sub", "before", "sums", "int_one")
        .node("Shape", "shape", "input_ids")
        .node("Slice", "length", "shape", "int_one", "far", "int_zero")
        .node("Neg", "last", "length")
        .node("Slice", "at", "before", "last", "far", "int_one");
  }

  private void cached(OnnxModelWriter model) {
    long[] perm = {0, 2, 1, 3};
    model
        .node("Gather", "embedded", "table", "input_ids")
        .node("Gather", "place", "places", "at")
        .node("Mul", "new", "embedded", "place")
        .node("Reshape", "split", "new", "heads")
        .node("", "Transpose", Map.of("perm", perm), List.of("turned"), "split")
        .node("", "Cast", Map.of("to", (long) cache), List.of("key"), "turned");
    if (merged) {
      branched(model);
    } else {
      model.nodeAlong(2, "Concat", "present.0.key", "past_key_values.0.key", "key");
    }
    model
        .node("", "Cast", Map.of("to", 1L), List.of("keys"), "present.0.key")
        .node("Add", "noisy", "keys", "one")
        .node("", "Cast", Map.of("to", 1L), List.of("seen"), "attention_mask")
        .node("Unsqueeze", "mask", "seen", "around")
        .node("Mul", "shown", "noisy", "mask")
        .node("ReduceSum", "sum", "shown", "length_axis")
        .node("Reshape", "context", "sum", "flat")
        .node("MatMul", "logits", "context", "head");
  }

  private void branched(OnnxModelWriter model) {
    OnnxModelWriter behindCache =
        new OnnxModelWriter()
            .nodeAlong(2, "Gather", "first", "past_key_values.0.key", "int_zero")
            .node("Sub", "nothing_new", "first", "first")
            .node("Add", "next_key", "key", "nothing_new")
            .nodeAlong(2, "Concat", "all_keys", "past_key_values.0.key", "next_key")
            .output("all_keys", cache, "batch", "2", "total", "4");
    OnnxModelWriter prompt =
        new OnnxModelWriter()
            .node("Identity", "prompt_keys", "key")
            .output("prompt_keys", cache, "batch", "2", "total", "4");
    model
        .input("use_cache_branch", OnnxModelWriter.BOOL, "1")
        .node(
            "",
            "If",
            Map.of("then_branch", behindCache, "else_branch", prompt),
            List.of("present.0.key"),
            "use_cache_branch");
  }

  private String yaml(int steps, String settings) {
    return """
    max_batch_size: 64
    stream:
      feedback: { "present.*": "past_key_values.*" }
      next: { from: logits, to: input_ids }
      mask: attention_mask
    %s  stop: { steps: %d }
    %s
    """
        .formatted(hasPositions() ? "  position: position_ids\n" : "", steps, settings);
  }

  private boolean hasPositions() {
    return positions == Positions.GIVEN || positions == Positions.COMMON;
  }

  private static float[] whole(SplittableRandom random, int count, int most) {
    var values = new float[count];
    for (int i = 0; i < count; i++) {
      values[i] = random.nextInt(-most, most + 1);
    }
    return values;
  }

  /** Opens a decoder's session, without a server around it. */
  public static ModelSession open(Path folder) {
    return CacheBranchSession.of(
        new OnnxRuntimeProvider()
            .open(new ModelSource(new ModelId("bare", 1), folder, RuntimesConfig.DEFAULT)));
  }

  /** Returns the logits of each step behind a prompt, in a plain loop. */
  public static List<float[]> loop(ModelSession session, int steps, long... prompt) {
    Signature signature =
        Objects.requireNonNull(session.metadata().signatures().get(Signature.DEFAULT));
    TensorSpec past = signature.input("past_key_values.0.key").orElseThrow();
    var all = new ArrayList<float[]>();
    Tensor cache = Tensor.allocate(past.type(), Shape.of(1, 2, 0, 4));
    long[] ids = prompt;
    int length = 0;
    while (all.size() < steps) {
      var inputs = inputs(signature, ids, length);
      inputs.add(new NamedTensor(past.name(), cache));
      List<NamedTensor> outputs =
          session.run(
              signature,
              inputs,
              List.of(
                  signature.output("logits").orElseThrow(),
                  signature.output("present.0.key").orElseThrow()));
      NamedTensor.closeAll(inputs);
      cache = outputs.getLast().tensor();
      try (Tensor logits = outputs.getFirst().tensor()) {
        all.add(Tensors.toFloats(logits));
      }
      length += ids.length;
      ids = new long[] {token(all.getLast())};
    }
    cache.close();
    return all;
  }

  private static List<NamedTensor> inputs(Signature signature, long[] ids, int length) {
    var inputs = new ArrayList<NamedTensor>();
    inputs.add(numbers("input_ids", ids));
    var mask = new long[length + ids.length];
    Arrays.fill(mask, 1);
    inputs.add(numbers("attention_mask", mask));
    if (signature.input("position_ids").isPresent()) {
      inputs.add(positions(signature, ids.length, length));
    }
    return inputs;
  }

  private static NamedTensor positions(Signature signature, int count, int from) {
    if (signature.input("position_ids").orElseThrow().shape().rank() == 0) {
      return new NamedTensor("position_ids", Tensors.integers(Shape.of(), from));
    }
    var at = new long[count];
    Arrays.setAll(at, i -> from + i);
    return numbers("position_ids", at);
  }

  private static NamedTensor numbers(String name, long... values) {
    Tensor tensor = Tensor.allocate(DataType.INT64, Shape.of(1, values.length));
    for (int i = 0; i < values.length; i++) {
      tensor.data().setAtIndex(ValueLayout.JAVA_LONG, i, values[i]);
    }
    return new NamedTensor(name, tensor);
  }

  /** Returns the likeliest token. */
  public static int token(float... logits) {
    int best = 0;
    for (int i = 1; i < logits.length; i++) {
      best = logits[i] > logits[best] ? i : best;
    }
    return best;
  }

  /** Returns the likeliest token of each step. */
  public static List<Integer> tokens(List<float[]> logits) {
    return logits.stream().map(MaskedDecoder::token).toList();
  }
}
