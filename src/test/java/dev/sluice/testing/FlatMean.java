package dev.sluice.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A model in Triton's ragged form: {@code x} has the elements of all requests in one dimension,
 * {@code bounds} where each request's begin and end, {@code sizes} how many they are. {@code mean}
 * is the mean of each request, {@code doubled} is twice each element.
 */
public final class FlatMean {
  /** Its configuration, but for how it is batched. */
  public static final String RAGGED =
      """
      input [{ name: "x" data_type: TYPE_FP32 dims: [ -1 ] allow_ragged_batch: true }]
      batch_input [
        {
          kind: BATCH_ACCUMULATED_ELEMENT_COUNT_WITH_ZERO
          target_name: "bounds" data_type: TYPE_INT32 source_input: "x"
        },
        { kind: BATCH_ELEMENT_COUNT target_name: "sizes" data_type: TYPE_FP32 source_input: "x" }
      ]
      output [
        { name: "mean" data_type: TYPE_FP32 dims: [ 1 ] },
        { name: "doubled" data_type: TYPE_FP32 dims: [ -1 ] }
      ]
      batch_output [
        { target_name: "doubled" kind: BATCH_SCATTER_WITH_INPUT_SHAPE source_input: "x" }
      ]
      """;

  private static final int INT32 = 6;

  private FlatMean() {}

  /** Writes it as version 1 of a model with a configuration. */
  public static void writeTo(Path models, String name, String configuration) throws IOException {
    Path model = models.resolve(name);
    graph().writeTo(Files.createDirectories(model.resolve("1")));
    Files.writeString(model.resolve("config.pbtxt"), configuration);
  }

  /** Returns its graph. */
  public static OnnxModelWriter graph() {
    return new OnnxModelWriter()
        .input("x", OnnxModelWriter.FLOAT, "total")
        .input("bounds", INT32, "edges")
        .input("sizes", OnnxModelWriter.FLOAT, "requests")
        .output("mean", OnnxModelWriter.FLOAT, "requests", "1")
        .output("doubled", OnnxModelWriter.FLOAT, "total")
        .initializer("nothing", 0)
        .integers("first", 0)
        .integers("second", 1)
        .integers("last", -1)
        .integers("behind", Long.MAX_VALUE)
        .node("CumSum", "sums", "x", "first")
        .nodeAlong(0, "Concat", "upto", "nothing", "sums")
        .node("Slice", "begins", "bounds", "first", "last", "first")
        .node("Slice", "ends", "bounds", "second", "behind", "first")
        .node("Gather", "before", "upto", "begins")
        .node("Gather", "through", "upto", "ends")
        .node("Sub", "sum", "through", "before")
        .node("Div", "row", "sum", "sizes")
        .node("Unsqueeze", "mean", "row", "second")
        .node("Add", "doubled", "x", "x");
  }
}
