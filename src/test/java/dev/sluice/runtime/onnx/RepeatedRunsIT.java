package dev.sluice.runtime.onnx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * How often a graph runs for one request. The graphs draw a random number of a fixed seed in each
 * run, so a number tells how many runs there were before it.
 */
class RepeatedRunsIT {
  @TempDir Path folder;

  /** Graphs that fail by values, so in runs whose outputs have known shapes too. */
  enum Form {
    /** Refused with the runtime's code for invalid arguments. */
    INDEX {
      @Override
      void write(OnnxModelWriter model) {
        model.node("Gather", "y", "later", "x");
      }
    },
    /** Refused with the runtime's code for failures of any kind. */
    SHAPE {
      @Override
      void write(OnnxModelWriter model) {
        model.node("Reshape", "y", "later", "x");
      }
    };

    abstract void write(OnnxModelWriter model);
  }

  @ParameterizedTest
  @EnumSource(Form.class)
  void aWrongRequestRunsOnceWhateverRunsWereBefore(Form form) throws IOException {
    try (ModelSession session = open("wrong", model(form));
        ModelSession counting = open("counting", model(form))) {
      for (int i = 0; i < 3; i++) {
        assertThat(draw(session, 2, 3)).isEqualTo(draw(counting, 2, 3));
      }
      for (int wrong = 1; wrong <= 5; wrong++) {
        assertThatThrownBy(() -> draw(session, 55, 55))
            .isInstanceOf(InferenceException.class)
            .extracting(e -> ((InferenceException) e).code())
            .isEqualTo(ErrorCode.INVALID_ARGUMENT);
        draw(counting, 2, 3);
        assertThat(draw(session, 2, 3)).isEqualTo(draw(counting, 2, 3));
      }
    }
  }

  private static OnnxModelWriter model(Form form) {
    OnnxModelWriter model =
        drawing(new OnnxModelWriter().input("x", OnnxModelWriter.INT64, "n"))
            .initializer("six", 0, 1, 2, 3, 4, 5)
            .outputOfUnknownRank("y", OnnxModelWriter.FLOAT)
            .node("Mul", "nothing", "drawn", "zero")
            .node("Add", "later", "six", "nothing");
    form.write(model);
    return model;
  }

  @Test
  void aShapeThatValuesDecideCostsOneRepeatedRunAndNoMore() throws IOException {
    try (ModelSession session = open("open", model(Form.SHAPE));
        ModelSession counting = open("counting", model(Form.SHAPE))) {
      for (int i = 0; i < 2; i++) {
        assertThat(draw(session, 2, 3)).isEqualTo(draw(counting, 2, 3));
      }
      draw(counting, 2, 3);
      assertThat(draw(session, 3, 2)).isEqualTo(draw(counting, 2, 3));
      for (int i = 0; i < 3; i++) {
        assertThat(draw(session, 2, 3)).isEqualTo(draw(counting, 2, 3));
        assertThat(draw(session, 6, 1)).isEqualTo(draw(counting, 2, 3));
      }
    }
  }

  private static OnnxModelWriter drawing(OnnxModelWriter model) {
    return model
        .initializer("zero", 0)
        .output("drawn", OnnxModelWriter.FLOAT, "1")
        .node("", "RandomUniform", Map.of("shape", new long[] {1}, "seed", 7f), List.of("drawn"));
  }

  /** The number that the run for these values draws. */
  private static float draw(ModelSession session, long... values) {
    return run(session, Tensors.integers(Shape.of(values.length), values));
  }

  private static float run(ModelSession session, Tensor x) {
    Signature signature = session.metadata().signature("").orElseThrow();
    try (x) {
      List<NamedTensor> outputs =
          session.run(signature, List.of(new NamedTensor("x", x)), signature.outputs());
      try {
        return Tensors.toFloats(outputs.getFirst().tensor())[0];
      } finally {
        NamedTensor.closeAll(outputs);
      }
    }
  }

  private ModelSession open(String name, OnnxModelWriter model) throws IOException {
    Path version = Files.createDirectory(folder.resolve(name));
    return new OnnxRuntimeProvider().open(TestModels.source(model.writeTo(version)));
  }
}
