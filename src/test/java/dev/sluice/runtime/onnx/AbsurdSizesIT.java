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
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Requests whose values ask for more memory than there is. */
class AbsurdSizesIT {
  /** Elements. Around 2^61 of them, their bytes are just more than the arena can double. */
  private static final long[] ABSURD = {
    1L << 40, (1L << 60) + 1024, (1L << 61) - 1024, (1L << 61) + 1024, 1L << 62
  };

  @TempDir Path folder;

  /** A graph whose output y has as many elements as the input size says, times a constant. */
  enum Form {
    CONSTANT_OF_SHAPE {
      @Override
      void write(OnnxModelWriter model) {
        model.node("ConstantOfShape", "filled", "size").node("Neg", "y", "filled");
      }
    },
    EXPAND {
      @Override
      void write(OnnxModelWriter model) {
        model.initializer("one", 1).node("Expand", "y", "one", "size");
      }
    },
    TILE {
      @Override
      void write(OnnxModelWriter model) {
        model.initializer("two", 1, 2).node("Tile", "y", "two", "size");
      }
    },
    RESIZE {
      @Override
      void write(OnnxModelWriter model) {
        model
            .initializer("three", 1, 2, 3)
            .node("", "Resize", Map.of("mode", "nearest"), List.of("y"), "three", "", "", "size");
      }
    },
    PAD {
      @Override
      void write(OnnxModelWriter model) {
        model
            .initializer("three", 1, 2, 3)
            .integers("none", 0)
            .nodeAlong(0, "Concat", "pads", "none", "size")
            .node("Pad", "y", "three", "pads");
      }
    },
    RANGE {
      @Override
      void write(OnnxModelWriter model) {
        model
            .integers("zero", 0)
            .integers("one", 1)
            .integers("axis", 0)
            .node("Squeeze", "from", "zero", "axis")
            .node("Squeeze", "step", "one", "axis")
            .node("Squeeze", "to", "size", "axis")
            .node("Range", "numbers", "from", "to", "step")
            .node("", "Cast", Map.of("to", 1L), List.of("y"), "numbers");
      }
    };

    abstract void write(OnnxModelWriter model);
  }

  @ParameterizedTest
  @EnumSource(Form.class)
  void aSizeThatNoMachineHasIsRefusedAndLeavesTheModelAsItWas(Form form) throws IOException {
    var model = new OnnxModelWriter().input("size", OnnxModelWriter.INT64, "1");
    form.write(model.output("y", OnnxModelWriter.FLOAT, ""));
    Path file = model.writeTo(folder);
    for (long absurd : ABSURD) {
      try (ModelSession session = new OnnxRuntimeProvider().open(TestModels.source(file))) {
        run(session, 100);
        assertThatThrownBy(() -> run(session, absurd))
            .as("%d", absurd)
            .asInstanceOf(type(InferenceException.class))
            .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
            .satisfies(e -> assertThat(e.getMessage()).contains("while running"));
        for (long size = 1 << 18; size < 1 << 23; size *= 2) {
          run(session, size);
        }
      }
    }
  }

  private static void run(ModelSession session, long size) {
    Signature signature = session.metadata().signature("").orElseThrow();
    try (Tensor tensor = Tensors.integers(Shape.of(1), size)) {
      NamedTensor.closeAll(
          session.run(signature, List.of(new NamedTensor("size", tensor)), signature.outputs()));
    }
  }
}
