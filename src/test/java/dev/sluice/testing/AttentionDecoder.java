package dev.sluice.testing;

import dev.sluice.inference.Signature;
import dev.sluice.runtime.ModelSession;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * A decoder of one layer, with ONNX's own operator for attention and the inputs and outputs that
 * exporters of language models write. A token has a position of its own, so that tokens are others
 * as soon as a cache or a mask is wrong.
 */
public enum AttentionDecoder {
  /** Operator set 23: attention appends to the caches, and a mask shows what each row has. */
  GROWING(23),
  /** Operator set 24: new keys and values are scattered into caches of one size. */
  SCATTERED(24);

  private static final int TOKENS = 32;
  private static final int HEADS = 2;
  private static final int SIZE = 8;
  private static final int WIDTH = HEADS * SIZE;

  /** Positions that there are, as many as caches of one size have room for. */
  private static final int PLACES = 64;

  private static final String KEYS = "past_key_values.0.key";
  private static final String VALUES = "past_key_values.0.value";
  private static final String NEW_KEYS = "present.0.key";
  private static final String NEW_VALUES = "present.0.value";

  private static final Map<String, Object> SECOND = Map.of("start", 1L, "end", 2L);
  private static final Map<String, Object> TO_BOOL = Map.of("to", (long) OnnxModelWriter.BOOL);

  private final int opset;

  AttentionDecoder(int opset) {
    this.opset = opset;
  }

  /** Writes the model, to be run in a loop of so many steps. */
  public Path writeTo(Path models, int steps) throws IOException {
    Path folder = Files.createDirectories(models.resolve("decoder"));
    OnnxModelWriter model = new OnnxModelWriter(opset);
    projected(model, new SplittableRandom(7));
    switch (this) {
      case GROWING -> growing(model);
      case SCATTERED -> scattered(model);
    }
    model.node("MatMul", "logits", "y", "head").writeTo(folder);
    Files.writeString(
        folder.resolve("model.yml"),
        """
        max_batch_size: 16
        stream:
          feedback: { "present.*": "past_key_values.*" }
          next: { from: logits, to: input_ids }
          position: position_ids
        %s  stop: { steps: %d }
        """
            .formatted(this == GROWING ? "  mask: attention_mask\n" : "", steps));
    return folder;
  }

  /** Queries, keys and values of the new tokens: {@code q}, {@code k} and {@code v}. */
  private void projected(OnnxModelWriter model, SplittableRandom random) {
    String past = this == GROWING ? "past" : Integer.toString(PLACES);
    String all = this == GROWING ? "all" : past;
    int type = OnnxModelWriter.FLOAT;
    String heads = Integer.toString(HEADS);
    String size = Integer.toString(SIZE);
    model
        .input("input_ids", OnnxModelWriter.INT64, "batch", "length")
        .input("position_ids", OnnxModelWriter.INT64, "batch", "length")
        .input(KEYS, type, "batch", heads, past, size)
        .input(VALUES, type, "batch", heads, past, size)
        .output("logits", type, "batch", "length", Integer.toString(TOKENS))
        .output(NEW_KEYS, type, "batch", heads, all, size)
        .output(NEW_VALUES, type, "batch", heads, all, size)
        .matrix("table", TOKENS, WIDTH, numbers(random, TOKENS * WIDTH, 1))
        .matrix("places", PLACES, WIDTH, numbers(random, PLACES * WIDTH, 1))
        .matrix("head", WIDTH, TOKENS, numbers(random, WIDTH * TOKENS, 1))
        .matrix("to_q", WIDTH, WIDTH, numbers(random, WIDTH * WIDTH, 0.25))
        .matrix("to_k", WIDTH, WIDTH, numbers(random, WIDTH * WIDTH, 0.25))
        .matrix("to_v", WIDTH, WIDTH, numbers(random, WIDTH * WIDTH, 0.25))
        .node("Gather", "embedded", "table", "input_ids")
        .node("Gather", "placed", "places", "position_ids")
        .node("Add", "x", "embedded", "placed")
        .node("MatMul", "q", "x", "to_q")
        .node("MatMul", "k", "x", "to_k")
        .node("MatMul", "v", "x", "to_v")
        .integers("one", 1);
  }

  private static float[] numbers(SplittableRandom random, int count, double scale) {
    var numbers = new float[count];
    for (int i = 0; i < count; i++) {
      numbers[i] = (float) (random.nextGaussian() * scale);
    }
    return numbers;
  }

  /** A token sees those that are not behind it, where the mask has a one. */
  private static void growing(OnnxModelWriter model) {
    model
        .input("attention_mask", OnnxModelWriter.INT64, "batch", "total")
        .integers("around", 1, 2)
        .node("Squeeze", "step", "one")
        .node("Sub", "zero", "step", "step")
        .node("", "Shape", SECOND, List.of("totals"), "attention_mask")
        .node("", "Shape", SECOND, List.of("lengths"), "input_ids")
        .node("Squeeze", "total", "totals")
        .node("Squeeze", "length", "lengths")
        .node("Sub", "before", "total", "length")
        .node("Range", "own", "before", "total", "step")
        .node("Range", "all", "zero", "total", "step")
        .node("Unsqueeze", "rows", "own", "one")
        .node("LessOrEqual", "causal", "all", "rows")
        .node("", "Cast", TO_BOOL, List.of("ones"), "attention_mask")
        .node("Unsqueeze", "there", "ones", "around")
        .node("And", "mask", "causal", "there")
        .node(
            "",
            "Attention",
            Map.of("q_num_heads", (long) HEADS, "kv_num_heads", (long) HEADS),
            List.of("y", NEW_KEYS, NEW_VALUES),
            "q",
            "k",
            "v",
            "mask",
            KEYS,
            VALUES);
  }

  /** A token sees those that are not behind it, by its position. */
  private static void scattered(OnnxModelWriter model) {
    var columns = new long[PLACES];
    Arrays.setAll(columns, i -> i);
    model
        .integers("columns", columns)
        .integers("split", 0, 0, HEADS, SIZE)
        .integers("joined", 0, 0, WIDTH)
        .integers("around", 1, 3)
        .node("Squeeze", "step", "one")
        .node("Sub", "zero", "step", "step")
        .node("", "Shape", SECOND, List.of("length"), "input_ids")
        .nodeAlong(1, "Gather", "first", "position_ids", "zero")
        .node("Add", "filled", "first", "length");
    for (String each : List.of("q", "k", "v")) {
      model.node("Reshape", each + "_split", each, "split");
      turned(model, each + "_heads", each + "_split");
    }
    model
        .nodeAlong(2, "TensorScatter", NEW_KEYS, KEYS, "k_heads", "first")
        .nodeAlong(2, "TensorScatter", NEW_VALUES, VALUES, "v_heads", "first")
        .node("Unsqueeze", "rows", "position_ids", "around")
        .node("LessOrEqual", "mask", "columns", "rows")
        .node("Attention", "y_heads", "q_heads", NEW_KEYS, NEW_VALUES, "mask", "", "", "filled");
    turned(model, "y_split", "y_heads");
    model.node("Reshape", "y", "y_split", "joined");
  }

  private static void turned(OnnxModelWriter model, String output, String input) {
    model.node("", "Transpose", Map.of("perm", new long[] {0, 2, 1, 3}), List.of(output), input);
  }

  /** Returns the likeliest token of each step behind a prompt, in a plain loop. */
  public List<Integer> loop(ModelSession session, int steps, long... prompt) {
    Signature signature = session.metadata().signature("").orElseThrow();
    Shape empty = Shape.of(1, HEADS, this == GROWING ? 0 : PLACES, SIZE);
    var caches = new ArrayList<>(List.of(zeros(KEYS, empty), zeros(VALUES, empty)));
    var tokens = new ArrayList<Integer>();
    long[] ids = prompt;
    int before = 0;
    while (tokens.size() < steps) {
      List<NamedTensor> inputs = inputs(ids, before);
      inputs.addAll(caches);
      caches.clear();
      for (NamedTensor output : session.run(signature, inputs, signature.outputs())) {
        switch (output.name()) {
          case NEW_KEYS -> caches.add(new NamedTensor(KEYS, output.tensor()));
          case NEW_VALUES -> caches.add(new NamedTensor(VALUES, output.tensor()));
          default -> tokens.add(likeliest(output.tensor()));
        }
      }
      NamedTensor.closeAll(inputs);
      before += ids.length;
      ids = new long[] {tokens.getLast()};
    }
    NamedTensor.closeAll(caches);
    return tokens;
  }

  private List<NamedTensor> inputs(long[] ids, int before) {
    var inputs = new ArrayList<NamedTensor>();
    inputs.add(new NamedTensor("input_ids", Tensors.integers(Shape.of(1, ids.length), ids)));
    var places = new long[ids.length];
    Arrays.setAll(places, i -> before + i);
    inputs.add(new NamedTensor("position_ids", Tensors.integers(Shape.of(1, ids.length), places)));
    if (this == GROWING) {
      var ones = new long[before + ids.length];
      Arrays.fill(ones, 1);
      inputs.add(
          new NamedTensor("attention_mask", Tensors.integers(Shape.of(1, ones.length), ones)));
    }
    return inputs;
  }

  private static NamedTensor zeros(String name, Shape shape) {
    Tensor zeros = Tensor.allocate(DataType.FP32, shape);
    zeros.data().fill((byte) 0);
    return new NamedTensor(name, zeros);
  }

  /** Returns the likeliest token behind the last one; closes the logits. */
  private static int likeliest(Tensor logits) {
    try (logits) {
      float[] all = Tensors.toFloats(logits);
      return MaskedDecoder.token(Arrays.copyOfRange(all, all.length - TOKENS, all.length));
    }
  }
}
