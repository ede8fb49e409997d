package dev.sluice.runtime.onnx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.Signature;
import dev.sluice.runtime.ModelSession;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.testing.OnnxModelWriter;
import dev.sluice.testing.Tensors;
import dev.sluice.testing.TestModels;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Values that an operator refuses, such as an index out of range, are the caller's:
 * INVALID_ARGUMENT with the operator's text, also where the shapes of all inputs are fixed.
 */
class RefusedValuesIT {
  @TempDir Path folder;

  /** A graph whose input {@code v} is a parameter of an operator, with values for it. */
  @SuppressWarnings("ImmutableEnumChecker") // its arrays and lambdas stay in this file
  enum Form {
    CONSTANT_OF_SHAPE(
        values(3), values(-1), m -> m.node("ConstantOfShape", "n", "v").node("Neg", "y", "n")),
    EXPAND(values(3), values(2), m -> m.node("Expand", "y", "row", "v")),
    EXPAND_BELOW_NOTHING(values(3), values(-2), m -> m.node("Expand", "y", "row", "v")),
    GATHER(values(2), values(3), m -> m.node("Gather", "y", "row", "v")),
    GATHER_BELOW(values(-3), values(-4), m -> m.node("Gather", "y", "row", "v")),
    GATHER_ELEMENTS(values(2), values(3), m -> m.node("GatherElements", "y", "row", "v")),
    GATHER_ND(values(2), values(3), m -> m.node("GatherND", "y", "row", "v")),
    ONE_HOT(
        values(2),
        values(-1),
        m -> m.node("Squeeze", "k", "v", "axis").node("OneHot", "y", "axis", "k", "two")),
    PAD(values(1, 0), values(-4, 0), m -> m.node("Pad", "y", "row", "v")),
    RESHAPE(values(3, 1), values(2, 2), m -> m.node("Reshape", "y", "row", "v")),
    RESHAPE_TO_TWO_OPEN(values(-1, 1), values(-1, -1), m -> m.node("Reshape", "y", "row", "v")),
    RESHAPE_BELOW_NOTHING(values(3, 1), values(-3, -5), m -> m.node("Reshape", "y", "row", "v")),
    RESIZE(
        values(2),
        values(-2),
        m -> m.node("", "Resize", Map.of("mode", "nearest"), List.of("y"), "row", "", "", "v")),
    SCATTER_ELEMENTS(values(2), values(3), m -> m.node("ScatterElements", "y", "row", "v", "one")),
    SCATTER_ND(
        values(2),
        values(3),
        m -> m.node("Unsqueeze", "at", "v", "axis").node("ScatterND", "y", "row", "at", "one")),
    SLICE_STEP(
        values(1), values(0), m -> m.node("Slice", "y", "row", "axis", "three", "axis", "v")),
    SLICE_AXIS(values(0), values(7), m -> m.node("Slice", "y", "row", "axis", "three", "v")),
    SPLIT(
        values(1, 2),
        values(1, 1),
        m -> m.node("", "Split", Map.of(), List.of("y", "z"), "row", "v")),
    SPLIT_BELOW_NOTHING(
        values(1, 2),
        values(-1, 4),
        m -> m.node("", "Split", Map.of(), List.of("y", "z"), "row", "v")),
    SQUEEZE(values(0), values(5), m -> m.node("Squeeze", "y", "one", "v")),
    TILE(values(2), values(-2), m -> m.node("Tile", "y", "row", "v")),
    TOP_K(values(2), values(4), m -> m.node("", "TopK", Map.of(), List.of("y", "i"), "row", "v")),
    TOP_K_BELOW_NOTHING(
        values(2), values(-4), m -> m.node("", "TopK", Map.of(), List.of("y", "i"), "row", "v")),
    UNSQUEEZE(values(0), values(5), m -> m.node("Unsqueeze", "y", "row", "v")),
    CUM_SUM(
        values(0),
        values(5),
        m -> m.node("Squeeze", "k", "v", "axis").node("CumSum", "y", "row", "k")),
    DIV(
        values(1),
        values(0),
        m ->
            m.node("Div", "n", "three", "v").node("", "Cast", Map.of("to", 1L), List.of("y"), "n")),
    MOD(
        values(1),
        values(0),
        m ->
            m.node("Mod", "n", "three", "v").node("", "Cast", Map.of("to", 1L), List.of("y"), "n")),
    RANGE(
        values(1),
        values(0),
        m ->
            m.node("Squeeze", "from", "axis", "axis")
                .node("Squeeze", "to", "three", "axis")
                .node("Squeeze", "step", "v", "axis")
                .node("Range", "n", "from", "to", "step")
                .node("", "Cast", Map.of("to", 1L), List.of("y"), "n"));

    private final long[] good;
    private final long[] bad;
    private final Consumer<OnnxModelWriter> graph;

    Form(long[] good, long[] bad, Consumer<OnnxModelWriter> graph) {
      this.good = good;
      this.bad = bad;
      this.graph = graph;
    }

    private static long[] values(long... values) {
      return values;
    }

    Path write(Path folder) throws IOException {
      var model =
          new OnnxModelWriter()
              .input("v", OnnxModelWriter.INT64, Integer.toString(good.length))
              .initializer("row", 1, 2, 3)
              .initializer("one", 1)
              .initializer("two", 0, 1)
              .integers("axis", 0)
              .integers("three", 3);
      graph.accept(model);
      return model.outputOfUnknownRank("y", OnnxModelWriter.FLOAT).writeTo(folder);
    }
  }

  @ParameterizedTest
  @EnumSource(Form.class)
  void valuesThatAnOperatorRefusesAreTheCallers(Form form) throws IOException {
    Path file = form.write(folder);
    try (ModelSession session = new OnnxRuntimeProvider().open(TestModels.source(file))) {
      run(session, form.good);
      assertThatThrownBy(() -> run(session, form.bad))
          .asInstanceOf(type(InferenceException.class))
          .satisfies(e -> assertThat(e.getMessage()).startsWith("Non-zero status code"))
          .satisfies(
              e -> assertThat(e.code()).as(e.getMessage()).isEqualTo(ErrorCode.INVALID_ARGUMENT));
      run(session, form.good);
    }
  }

  private static void run(ModelSession session, long... values) {
    Signature signature = session.metadata().signature("").orElseThrow();
    try (Tensor tensor = Tensors.integers(Shape.of(values.length), values)) {
      NamedTensor.closeAll(
          session.run(signature, List.of(new NamedTensor("v", tensor)), signature.outputs()));
    }
  }
}
