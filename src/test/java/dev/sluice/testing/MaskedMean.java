package dev.sluice.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A model of rows that have a length: {@code mean} is the mean of the elements of {@code x} that
 * the {@code mask} shows, {@code centred} are the elements without it.
 *
 * @param careless whether the mean is that of padding too
 */
public record MaskedMean(boolean careless) {
  /** Settings of rows that run together, but for the size of a batch. */
  public static final String RAGGED =
      """
      ragged:
        inputs: [{ name: x, axis: 1, pad: 7 }]
        mask: mask
        outputs: [{ name: centred, axis: 1 }]
      """;

  /** Writes it as version 1 of a model with settings. */
  public void writeTo(Path models, String name, String settings) throws IOException {
    Path model = models.resolve(name);
    graph().writeTo(Files.createDirectories(model.resolve("1")));
    Files.writeString(model.resolve("model.yml"), settings);
  }

  /** Returns its graph. */
  public OnnxModelWriter graph() {
    OnnxModelWriter model =
        new OnnxModelWriter()
            .input("x", OnnxModelWriter.FLOAT, "rows", "length")
            .input("mask", OnnxModelWriter.FLOAT, "rows", "length")
            .output("mean", OnnxModelWriter.FLOAT, "rows", "1")
            .output("centred", OnnxModelWriter.FLOAT, "rows", "length")
            .integers("along", 1)
            .node("Mul", "shown", "x", "mask")
            .node("ReduceSum", "sum", careless ? "x" : "shown", "along")
            .node("ReduceSum", "count", "mask", "along")
            .node("Div", "mean", "sum", "count");
    return model.node("Sub", "centred", "x", "mean");
  }

  /** Returns a row of a length, unlike those of other lengths. */
  public static float[] row(int length) {
    float[] row = new float[length];
    for (int i = 0; i < length; i++) {
      row[i] = i * 7 % 5 - length;
    }
    return row;
  }

  /** Returns the mean of a row. */
  public static float mean(float... row) {
    float sum = 0;
    for (float value : row) {
      sum += value;
    }
    return sum / row.length;
  }
}
