package dev.sluice.loadtest.row;

import dev.sluice.testing.OnnxModelWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * A decoder of four layers with attention over its caches, 13 MB of weights: what exporters of
 * language models write, with random weights and without norms.
 */
final class DecoderModel {
  static final String SETTINGS =
      """
      max_batch_size: 16
      stream:
        feedback: { "present.*": "past_key_values.*" }
        next: { from: logits, to: input_ids }
        position: position_ids
        mask: attention_mask
        stop: { steps: 128 }
      """;

  /** The sample chat takes its places from the mask. */
  static final String CHAT_SETTINGS = SETTINGS.replace("  position: position_ids\n", "");

  /** What a stream generates. */
  static final int STEPS = 128;

  private static final int TOKENS = 512;
  private static final int WIDTH = 256;
  private static final int HIDDEN = 1_024;
  private static final int LAYERS = 4;
  private static final int FLOAT = OnnxModelWriter.FLOAT;

  private final Random random = new Random(43);
  private final OnnxModelWriter model = new OnnxModelWriter();

  /** Writes it into the folder of a version. */
  void writeTo(Path version) throws IOException {
    model
        .input("input_ids", OnnxModelWriter.INT64, "batch", "length")
        .input("attention_mask", OnnxModelWriter.INT64, "batch", "total")
        .input("position_ids", OnnxModelWriter.INT64, "batch", "length")
        .output("logits", FLOAT, "batch", "length", Integer.toString(TOKENS))
        .initializer("one", 1)
        .initializer("hidden", -1e9f)
        .initializer("scale", 0.125f)
        .integers("middle", 1, 2)
        .integers("heads", 0, 0, 4, 64)
        .integers("flat", 0, 0, WIDTH);
    weights("table", TOKENS, WIDTH);
    weights("places", TOKENS, WIDTH);
    model
        .node("Gather", "embedded", "table", "input_ids")
        .node("Gather", "place", "places", "position_ids")
        .node("Add", "x0", "embedded", "place")
        .node("", "Cast", Map.of("to", (long) FLOAT), List.of("seen"), "attention_mask")
        .node("Sub", "unseen", "one", "seen")
        .node("Mul", "far", "unseen", "hidden")
        .node("Unsqueeze", "bias", "far", "middle");
    IntStream.range(0, LAYERS).forEach(this::layer);
    weights("head", WIDTH, TOKENS);
    model.node("MatMul", "logits", "x" + LAYERS, "head").writeTo(version);
  }

  private void weights(String name, int rows, int columns) {
    var values = new float[rows * columns];
    for (int i = 0; i < values.length; i++) {
      values[i] = (float) (random.nextGaussian() / Math.sqrt(rows));
    }
    model.matrix(name, rows, columns, values);
  }

  private void layer(int i) {
    String of = Integer.toString(i);
    heads("query" + of, "x" + of);
    cache(of, "key");
    cache(of, "value");
    weights("wo" + of, WIDTH, WIDTH);
    weights("up" + of, WIDTH, HIDDEN);
    weights("down" + of, HIDDEN, WIDTH);
    turned("keys" + of, "present." + of + ".key", 0, 1, 3, 2);
    model
        .node("MatMul", "products" + of, "query" + of, "keys" + of)
        .node("Mul", "scaled" + of, "products" + of, "scale")
        .node("Add", "scores" + of, "scaled" + of, "bias")
        .nodeAlong(-1, "Softmax", "attention" + of, "scores" + of)
        .node("MatMul", "mixed" + of, "attention" + of, "present." + of + ".value");
    turned("rows" + of, "mixed" + of, 0, 2, 1, 3);
    model
        .node("Reshape", "context" + of, "rows" + of, "flat")
        .node("MatMul", "attended" + of, "context" + of, "wo" + of)
        .node("Add", "between" + of, "x" + of, "attended" + of)
        .node("MatMul", "wide" + of, "between" + of, "up" + of)
        .node("Relu", "cut" + of, "wide" + of)
        .node("MatMul", "narrow" + of, "cut" + of, "down" + of)
        .node("Add", "sum" + of, "between" + of, "narrow" + of)
        .node("Tanh", "x" + (i + 1), "sum" + of);
  }

  private void cache(String of, String part) {
    String past = "past_key_values." + of + "." + part;
    String present = "present." + of + "." + part;
    heads(part + of, "x" + of);
    model
        .input(past, FLOAT, "batch", "4", "past", "64")
        .output(present, FLOAT, "batch", "4", "total", "64")
        .nodeAlong(2, "Concat", present, past, part + of);
  }

  private void heads(String name, String from) {
    weights("w_" + name, WIDTH, WIDTH);
    model
        .node("MatMul", "all_" + name, from, "w_" + name)
        .node("Reshape", "split_" + name, "all_" + name, "heads");
    turned(name, "split_" + name, 0, 2, 1, 3);
  }

  private void turned(String to, String from, long... order) {
    model.node("", "Transpose", Map.of("perm", order), List.of(to), from);
  }
}
