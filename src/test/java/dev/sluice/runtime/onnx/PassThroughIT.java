package dev.sluice.runtime.onnx;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.inference.Signature;
import dev.sluice.runtime.ModelSession;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorSpec;
import dev.sluice.testing.OnnxModelWriter;
import dev.sluice.testing.RecycledBlocks;
import dev.sluice.testing.Tensors;
import dev.sluice.testing.TestModels;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Graphs that hand values through, run while recycled memory is full of a neighbour's data. */
class PassThroughIT {
  private static final int RUNS = 6;

  @TempDir Path folder;

  /** A graph whose outputs all equal its input x, which is a float tensor of shape [rows, 4]. */
  enum Form {
    THE_INPUT_ITSELF {
      @Override
      void write(OnnxModelWriter model) {
        model.output("x", OnnxModelWriter.FLOAT, "n", "4");
      }
    },
    THE_INPUT_BESIDE_A_COMPUTED_OUTPUT {
      @Override
      void write(OnnxModelWriter model) {
        result(model, "first").output("x", OnnxModelWriter.FLOAT, "n", "4");
        result(model, "last").node("Relu", "first", "x").node("Relu", "last", "x");
      }
    },
    IDENTITY {
      @Override
      void write(OnnxModelWriter model) {
        result(model, "y").node("Identity", "y", "x");
      }
    },
    ONE_VALUE_UNDER_MANY_NAMES {
      @Override
      void write(OnnxModelWriter model) {
        result(model, "y").node("Relu", "y", "x");
        result(model, "z").node("Identity", "z", "y");
        result(model, "zz")
            .node("Identity", "zz", "z")
            .output("x", OnnxModelWriter.FLOAT, "n", "4");
        result(model, "xx").node("Identity", "xx", "x");
      }
    },
    VIEWS {
      @Override
      void write(OnnxModelWriter model) {
        model.integers("shape", 0, 4).integers("axis", 0).integers("first", 1);
        result(model, "y1").node("Reshape", "y1", "x", "shape");
        result(model, "y2").node("Unsqueeze", "wide", "x", "axis");
        model.node("Squeeze", "y2", "wide", "axis");
        result(model, "y3").node("Dropout", "y3", "x");
        result(model, "y4").nodeAlong(1, "Flatten", "y4", "x");
        result(model, "y5").node("Sum", "y5", "x");
        result(model, "y6").nodeAlong(0, "Concat", "y6", "x");
        result(model, "y7").node("", "Cast", Map.of("to", 1L), List.of("y7"), "x");
        result(model, "y8").node("", "Transpose", perm(1, 0), List.of("turned"), "x");
        model.node("", "Transpose", perm(1, 0), List.of("y8"), "turned");
        result(model, "y9").node("", "Transpose", perm(0, 1), List.of("y9"), "x");
      }
    },
    A_SEQUENCE {
      @Override
      void write(OnnxModelWriter model) {
        model.integers("place", 0).node("SequenceConstruct", "sequence", "x", "x");
        model.node("Squeeze", "at", "place");
        result(model, "y").node("SequenceAt", "y", "sequence", "at");
      }
    },
    A_BRANCH {
      @Override
      void write(OnnxModelWriter model) {
        condition(model);
        OnnxModelWriter then = result(new OnnxModelWriter(), "a").node("Identity", "a", "x");
        OnnxModelWriter other = result(new OnnxModelWriter(), "b").node("Neg", "b", "x");
        result(model, "y").node("", "If", branches(then, other), List.of("y"), "yes");
        result(model, "z").node("", "If", branches(other, then), List.of("minus"), "yes");
        model.node("Neg", "z", "minus");
      }
    },
    A_LOOP_THAT_CARRIES {
      @Override
      void write(OnnxModelWriter model) {
        condition(model);
        loop(model.integers("times", 3));
      }
    },
    A_LOOP_THAT_DOES_NOT_TURN {
      @Override
      void write(OnnxModelWriter model) {
        condition(model);
        loop(model.integers("times", 0));
      }
    },
    A_SCAN {
      @Override
      void write(OnnxModelWriter model) {
        var body =
            new OnnxModelWriter()
                .input("state", OnnxModelWriter.FLOAT, "n", "4")
                .input("row", OnnxModelWriter.FLOAT, "4")
                .output("next", OnnxModelWriter.FLOAT, "n", "4")
                .output("copied", OnnxModelWriter.FLOAT, "4")
                .output("again", OnnxModelWriter.FLOAT, "4")
                .node("Identity", "next", "state")
                .node("Identity", "copied", "row")
                .node("Identity", "again", "copied");
        result(model, "kept");
        result(model, "rows");
        result(model, "same");
        model.node(
            "",
            "Scan",
            Map.of("num_scan_inputs", 1L, "body", body),
            List.of("kept", "rows", "same"),
            "x",
            "x");
      }
    };

    abstract void write(OnnxModelWriter model);

    static OnnxModelWriter result(OnnxModelWriter model, String name) {
      return model.output(name, OnnxModelWriter.FLOAT, "n", "4");
    }

    private static Map<String, Object> perm(long... places) {
      return Map.of("perm", places);
    }

    private static Map<String, Object> branches(OnnxModelWriter then, OnnxModelWriter other) {
      return Map.of("then_branch", then, "else_branch", other);
    }

    /** A value that is true, and that the optimizer cannot know. */
    private static void condition(OnnxModelWriter model) {
      model.integers("zero", 0).node("Shape", "dims", "x");
      model
          .nodeAlong(0, "Gather", "rows_of_x", "dims", "zero")
          .node("Greater", "many", "rows_of_x", "zero");
      model.node("Squeeze", "yes", "many");
    }

    private static void loop(OnnxModelWriter model) {
      var body =
          new OnnxModelWriter()
              .input("turn", OnnxModelWriter.INT64)
              .input("go", OnnxModelWriter.BOOL)
              .input("carried", OnnxModelWriter.FLOAT, "n", "4")
              .output("go", OnnxModelWriter.BOOL)
              .output("carried", OnnxModelWriter.FLOAT, "n", "4");
      model.node("Squeeze", "trips", "times");
      result(model, "y").node("", "Loop", Map.of("body", body), List.of("y"), "trips", "yes", "x");
    }
  }

  @ParameterizedTest
  @EnumSource(Form.class)
  void aValueThatIsHandedThroughIsTheCallersOwn(Form form) throws IOException {
    var model = new OnnxModelWriter().input("x", OnnxModelWriter.FLOAT, "n", "4");
    form.write(model);
    try (ModelSession session = open(model)) {
      for (int run = 0; run < RUNS; run++) {
        for (int rows : List.of(1, 3)) {
          check(session, run, rows);
        }
      }
    }
  }

  private static void check(ModelSession session, int run, int rows) {
    RecycledBlocks.fill();
    float[] values = new float[rows * 4];
    for (int i = 0; i < values.length; i++) {
      values[i] = 100 * run + i;
    }
    Signature signature = session.metadata().signature("").orElseThrow();
    try (Tensor x = Tensors.floats(Shape.of(rows, 4), values)) {
      List<NamedTensor> outputs =
          session.run(signature, List.of(new NamedTensor("x", x)), signature.outputs());
      try {
        for (NamedTensor output : outputs) {
          assertThat(Tensors.toFloats(output.tensor()))
              .as("output %s of run %d", output.name(), run)
              .containsExactly(values);
        }
      } finally {
        NamedTensor.closeAll(outputs);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.MATCH_NONE,
      names = {"COMPLEX.*", "QU?INT.*", "UNSUPPORTED"})
  void aValueOfAnyTypeIsHandedThroughUnchanged(DataType type) throws IOException {
    int number = OnnxTypes.number(type);
    var model = new OnnxModelWriter().input("x", number, "n").output("x", number, "n");
    try (ModelSession session = open(model)) {
      for (int elements : List.of(1, 7, 7, 7, 1, 300, 300)) {
        RecycledBlocks.fill();
        try (Tensor x = tensor(type, elements)) {
          List<NamedTensor> outputs = run(session, new NamedTensor("x", x));
          try {
            Tensors.assertSame(outputs.getFirst().tensor(), x);
          } finally {
            NamedTensor.closeAll(outputs);
          }
        }
      }
    }
  }

  private static Tensor tensor(DataType type, int elements) {
    if (type != DataType.BYTES) {
      return Tensors.zerosAndOnes(type, Shape.of(elements));
    }
    byte[][] texts = new byte[elements][];
    Arrays.setAll(texts, i -> new byte[] {(byte) i, 1, 2});
    return Tensors.bytes(Shape.of(elements), texts);
  }

  @Test
  void anOptionalInputThatIsAnOutputIsWhatWasSentOrItsDefault() throws IOException {
    var model =
        new OnnxModelWriter()
            .input("x", OnnxModelWriter.FLOAT, "n")
            .input("factor", OnnxModelWriter.FLOAT, "2")
            .initializer("factor", 3, 4)
            .output("factor", OnnxModelWriter.FLOAT, "2")
            .output("y", OnnxModelWriter.FLOAT, "n")
            .node("Mul", "y", "x", "factor");
    try (ModelSession session = open(model);
        Tensor x = Tensors.floats(Shape.of(2), 1, 2);
        Tensor sent = Tensors.floats(Shape.of(2), 5, 6)) {
      for (int i = 0; i < RUNS; i++) {
        assertOutputs(session, List.of(3f, 4f, 3f, 8f), new NamedTensor("x", x));
        assertOutputs(
            session,
            List.of(5f, 6f, 5f, 12f),
            new NamedTensor("x", x),
            new NamedTensor("factor", sent));
      }
    }
  }

  @Test
  void aConstantThatIsAnOutputStaysTheConstant() throws IOException {
    var model =
        new OnnxModelWriter()
            .input("x", OnnxModelWriter.FLOAT, "n")
            .initializer("weights", 7, 8)
            .output("weights", OnnxModelWriter.FLOAT, "2")
            .output("x", OnnxModelWriter.FLOAT, "n")
            .output("folded", OnnxModelWriter.FLOAT, "2")
            .node("Neg", "folded", "weights");
    try (ModelSession session = open(model);
        Tensor x = Tensors.floats(Shape.of(1), 1)) {
      for (int i = 0; i < RUNS; i++) {
        assertOutputs(session, List.of(7f, 8f, 1f, -7f, -8f), new NamedTensor("x", x));
      }
    }
  }

  @Test
  void anOutputThatIsWantedTwiceIsTheSameTwice() throws IOException {
    var model =
        new OnnxModelWriter()
            .input("x", OnnxModelWriter.FLOAT, "n")
            .output("y", OnnxModelWriter.FLOAT, "n")
            .output("z", OnnxModelWriter.FLOAT, "n")
            .node("Relu", "y", "x")
            .node("Neg", "z", "x");
    try (ModelSession session = open(model);
        Tensor x = Tensors.floats(Shape.of(2), 1, 2)) {
      Signature signature = session.metadata().signature("").orElseThrow();
      TensorSpec y = signature.output("y").orElseThrow();
      for (int i = 0; i < RUNS; i++) {
        RecycledBlocks.fill();
        List<NamedTensor> outputs =
            session.run(signature, List.of(new NamedTensor("x", x)), List.of(y, y));
        assertThat(values(outputs)).containsExactly(1f, 2f, 1f, 2f);
        NamedTensor.closeAll(outputs);
      }
    }
  }

  private static void assertOutputs(
      ModelSession session, List<Float> expected, NamedTensor... inputs) {
    RecycledBlocks.fill();
    List<NamedTensor> outputs = run(session, inputs);
    assertThat(values(outputs)).containsExactlyElementsOf(expected);
    NamedTensor.closeAll(outputs);
  }

  private static List<Float> values(List<NamedTensor> outputs) {
    var values = new ArrayList<Float>();
    for (NamedTensor output : outputs) {
      for (float value : Tensors.toFloats(output.tensor())) {
        values.add(value);
      }
    }
    return values;
  }

  private static List<NamedTensor> run(ModelSession session, NamedTensor... inputs) {
    Signature signature = session.metadata().signature("").orElseThrow();
    return session.run(signature, List.of(inputs), signature.outputs());
  }

  private ModelSession open(OnnxModelWriter model) throws IOException {
    return new OnnxRuntimeProvider().open(TestModels.source(model.writeTo(folder)));
  }
}
