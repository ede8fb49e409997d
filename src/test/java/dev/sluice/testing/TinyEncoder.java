package dev.sluice.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * A text encoder with the inputs and outputs that exporters write: each token's vector is its own
 * and the mean of those that the mask shows.
 *
 * @param output {@code last_hidden_state} or {@code logits}
 * @param classes logits of a row
 * @param careless whether the mean is that of padding too
 */
public record TinyEncoder(String output, int classes, boolean careless) {
  public static final int WIDTH = 4;

  /** Its tokenizer, which puts a token in front of each text. */
  public static final Path TOKENIZER = Path.of("src/test/resources/text/tokenizer.json");

  private static final int TOKENS = 324;

  /** An encoder whose answers are vectors. */
  public static TinyEncoder ofVectors(boolean careless) {
    return new TinyEncoder("last_hidden_state", 1, careless);
  }

  /** An encoder whose answers are logits. */
  public static TinyEncoder ofLogits(int classes) {
    return new TinyEncoder("logits", classes, false);
  }

  /** Writes its graph and its tokenizer, as version 1 of a model. */
  public Path writeTo(Path models, String name) throws IOException {
    Path folder = Files.createDirectories(models.resolve(name));
    graph().writeTo(folder);
    Files.copy(TOKENIZER, folder.resolve("tokenizer.json"));
    return folder;
  }

  /** Returns its graph. */
  public OnnxModelWriter graph() {
    var random = new SplittableRandom(5);
    OnnxModelWriter model =
        new OnnxModelWriter()
            .input("input_ids", OnnxModelWriter.INT64, "batch", "length")
            .input("attention_mask", OnnxModelWriter.INT64, "batch", "length")
            .input("token_type_ids", OnnxModelWriter.INT64, "batch", "length")
            .matrix("table", TOKENS, WIDTH, numbers(random, TOKENS * WIDTH))
            .matrix("parts", 2, WIDTH, numbers(random, 2 * WIDTH))
            .matrix("head", WIDTH, classes, numbers(random, WIDTH * classes))
            .initializer("zero", 0)
            .initializer("one", 1)
            .integers("length_axis", 1)
            .integers("width_axis", 2)
            .node("Gather", "tokens", "table", "input_ids")
            .node("Gather", "part", "parts", "token_type_ids")
            .node("Add", "vectors", "tokens", "part")
            .node("", "Cast", Map.of("to", 1L), List.of("given"), "attention_mask")
            .node("Mul", "masked", "given", careless ? "zero" : "one")
            .node("Add", "seen", "masked", careless ? "one" : "zero")
            .node("Unsqueeze", "mask", "seen", "width_axis")
            .node("Mul", "shown", "vectors", "mask")
            .node("ReduceSum", "sum", "shown", "length_axis")
            .node("ReduceSum", "count", "mask", "length_axis")
            .node("Div", "mean", "sum", "count");
    return output.equals("logits")
        ? model
            .output(output, OnnxModelWriter.FLOAT, "batch", Integer.toString(classes))
            .node("Squeeze", "row", "mean", "length_axis")
            .node("MatMul", output, "row", "head")
        : model
            .output(output, OnnxModelWriter.FLOAT, "batch", "length", Integer.toString(WIDTH))
            .node("Add", output, "vectors", "mean");
  }

  private static float[] numbers(SplittableRandom random, int count) {
    var values = new float[count];
    for (int i = 0; i < count; i++) {
      values[i] = (float) random.nextDouble(-1, 1);
    }
    return values;
  }
}
