package dev.sluice.runtime.onnx.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.runtime.ModelSession;
import dev.sluice.runtime.RunTimeBasis;
import dev.sluice.runtime.onnx.OnnxRuntimeProvider;
import dev.sluice.testing.LoopModel;
import dev.sluice.testing.OnnxModelWriter;
import dev.sluice.testing.TestModels;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is found in model files: Scans that leave outputs unwritten, operators that do not. */
class ModelInspectionIT {
  private static final String UNWRITTEN = "ONNX Runtime leaves output '%s' unwritten";

  @TempDir Path folder;

  @Test
  void aStateThatABodyReturnsAsItIsKeepsTheModelFromLoading() throws IOException {
    scan(body("state", "copied"), "kept", "rows").writeTo(folder);
    assertThatThrownBy(this::open)
        .hasMessageContaining("Scan 'walk' returns its input 'state'")
        .hasMessageContaining(UNWRITTEN.formatted("kept"));
  }

  @Test
  void aRowThatABodyReturnsAsItIsKeepsTheModelFromLoading() throws IOException {
    scan(body("next", "row"), "kept", "rows").writeTo(folder);
    assertThatThrownBy(this::open).hasMessageContaining(UNWRITTEN.formatted("rows"));
  }

  @Test
  void aScanInABranchIsFoundToo() throws IOException {
    var then = scan(body("state", "copied"), "kept", "rows");
    var other = scan(body("next", "copied"), "kept", "rows");
    new OnnxModelWriter()
        .input("yes", OnnxModelWriter.BOOL)
        .output("y", OnnxModelWriter.FLOAT, "n", "4")
        .node("", "If", Map.of("then_branch", other, "else_branch", then), List.of("y"), "yes")
        .writeTo(folder);
    assertThatThrownBy(this::open).hasMessageContaining(UNWRITTEN.formatted("kept"));
  }

  @Test
  void aScanThatCopiesLoads() throws IOException {
    scan(body("next", "copied"), "kept", "rows").writeTo(folder);
    assertThatCode(() -> open().close()).doesNotThrowAnyException();
  }

  @Test
  void outputsOfOperatorsThatWriteAllAreFoundInTheModelsOwnGraph() throws IOException {
    var then =
        new OnnxModelWriter().output("inner", OnnxModelWriter.FLOAT, "n").node("Neg", "inner", "x");
    new OnnxModelWriter()
        .input("x", OnnxModelWriter.FLOAT, "n")
        .output("whole", OnnxModelWriter.FLOAT, "n")
        .node("Relu", "whole", "x")
        .node("Identity", "same", "x")
        .node("com.microsoft", "Add", Map.of(), List.of("strange"), "x", "x")
        .node("", "If", Map.of("then_branch", then, "else_branch", then), List.of("chosen"), "yes")
        .writeTo(folder);
    assertThat(inspected().wholeOutputs()).containsExactly("whole");
  }

  private GraphFacts inspected() {
    return ModelInspection.check(folder.resolve("model.onnx"));
  }

  @Test
  void operatorsThatDoAsMuchAsShapesSayAreBoundByShapes() throws IOException {
    new OnnxModelWriter()
        .input("x", OnnxModelWriter.FLOAT, "n", "2")
        .output("y", OnnxModelWriter.FLOAT, "n", "2")
        .node("MatMul", "product", "x", "weights")
        .node("Softmax", "y", "product")
        .matrix("weights", 2, 2, 1, 0, 0, 1)
        .writeTo(folder);
    assertThat(inspected().shapeBound()).isTrue();
    assertThat(basis()).isEqualTo(RunTimeBasis.SIZE);
  }

  @Test
  void aShapeThatFollowsFromAnotherIsKnown() throws IOException {
    new OnnxModelWriter()
        .input("x", OnnxModelWriter.FLOAT, "n", "2")
        .output("y", OnnxModelWriter.FLOAT, "n", "2")
        .node("Shape", "shape", "x")
        .node("Gather", "rows", "shape", "first")
        .nodeAlong(0, "Concat", "wanted", "rows", "second")
        .node("Reshape", "y", "x", "wanted")
        .integers("first", 0)
        .integers("second", 2)
        .writeTo(folder);
    assertThat(inspected().shapeBound()).isTrue();
  }

  @Test
  void aShapeThatARequestNamesIsNot() throws IOException {
    new OnnxModelWriter()
        .input("x", OnnxModelWriter.FLOAT, "1")
        .input("wanted", OnnxModelWriter.INT64, "2")
        .output("y", OnnxModelWriter.FLOAT, "n", "m")
        .node("Expand", "y", "x", "wanted")
        .writeTo(folder);
    assertThat(inspected().shapeBound()).isFalse();
    assertThat(basis()).isEqualTo(RunTimeBasis.VALUES);
  }

  @Test
  void axesThatARequestNamesAreNotKnown() throws IOException {
    for (boolean named : List.of(true, false)) {
      var model =
          new OnnxModelWriter()
              .input("x", OnnxModelWriter.FLOAT, "n", "2")
              .output("y", OnnxModelWriter.FLOAT, "a", "b")
              .node("ReduceSum", "y", "x", "axes");
      (named ? model.input("axes", OnnxModelWriter.INT64, "1") : model.integers("axes", 1))
          .writeTo(folder);
      assertThat(inspected().shapeBound()).isEqualTo(!named);
    }
  }

  @Test
  void aConstantThatARequestMayReplaceIsNot() throws IOException {
    new OnnxModelWriter()
        .input("x", OnnxModelWriter.FLOAT, "1")
        .input("wanted", OnnxModelWriter.INT64, "2")
        .output("y", OnnxModelWriter.FLOAT, "n", "m")
        .node("Expand", "y", "x", "wanted")
        .integers("wanted", 3, 4)
        .writeTo(folder);
    assertThat(inspected().shapeBound()).isFalse();
  }

  @Test
  void operatorsThatLoopBranchOrAreNotKnownAreNotBoundByShapes() throws IOException {
    LoopModel.writeRow(folder, "loop");
    assertThat(ModelInspection.check(folder.resolve("loop/1/model.onnx")).shapeBound()).isFalse();
    var strange = Map.of("NonZero", "", "Unique", "", "FusedMatMul", OnnxModelWriter.MICROSOFT);
    for (Map.Entry<String, String> one : strange.entrySet()) {
      new OnnxModelWriter()
          .input("x", OnnxModelWriter.FLOAT, "n", "2")
          .output("y", OnnxModelWriter.FLOAT, "n", "2")
          .node(one.getValue(), one.getKey(), Map.of(), List.of("y"), "x", "x")
          .writeTo(folder);
      assertThat(inspected().shapeBound()).as(one.getKey()).isFalse();
    }
  }

  @Test
  void rowsOfAnyLengthSayNothingOfARun() throws IOException {
    assertThat(basisOf("n", "m")).isEqualTo(RunTimeBasis.VALUES);
    assertThat(basisOf("2", "m")).isEqualTo(RunTimeBasis.VALUES);
    assertThat(basisOf("3", "2")).isEqualTo(RunTimeBasis.SIZE);
  }

  private RunTimeBasis basisOf(String... dims) throws IOException {
    new OnnxModelWriter()
        .input("x", OnnxModelWriter.FLOAT, dims)
        .output("y", OnnxModelWriter.FLOAT, dims)
        .node("Relu", "y", "x")
        .writeTo(folder);
    return basis();
  }

  @Test
  void twoInputsOfAnyNumberOfRowsHaveToHaveAsManyAsEachOther() throws IOException {
    new OnnxModelWriter()
        .input("x", OnnxModelWriter.FLOAT, "n", "2")
        .input("z", OnnxModelWriter.FLOAT, "n", "2")
        .output("y", OnnxModelWriter.FLOAT, "n", "2")
        .node("Add", "y", "x", "z")
        .writeTo(folder);
    assertThat(basis()).isEqualTo(RunTimeBasis.SIZE_OF_EQUAL_ROWS);
  }

  private RunTimeBasis basis() {
    try (ModelSession session = open()) {
      return session.runTimeBasis();
    }
  }

  @Test
  void whatIsNoModelIsLeftToTheRuntime() throws IOException {
    for (byte[] bytes : new byte[][] {{}, {0x3A}, {0x3A, 0x7F, 1}, {0x0B, 0x0C}, {0x0C}, {-1}}) {
      Path file = Files.write(folder.resolve("model.onnx"), bytes);
      assertThatCode(() -> ModelInspection.check(file)).doesNotThrowAnyException();
    }
  }

  private static OnnxModelWriter body(String state, String row) {
    return new OnnxModelWriter()
        .input("state", OnnxModelWriter.FLOAT, "n", "4")
        .input("row", OnnxModelWriter.FLOAT, "4")
        .output(state, OnnxModelWriter.FLOAT, "n", "4")
        .output(row, OnnxModelWriter.FLOAT, "4")
        .node("Identity", "next", "state")
        .node("Identity", "copied", "row");
  }

  private static OnnxModelWriter scan(OnnxModelWriter body, String state, String rows) {
    var model =
        new OnnxModelWriter()
            .input("x", OnnxModelWriter.FLOAT, "n", "4")
            .output(state, OnnxModelWriter.FLOAT, "n", "4")
            .output(rows, OnnxModelWriter.FLOAT, "n", "4");
    return model.named(
        "walk",
        "Scan",
        Map.of("num_scan_inputs", 1L, "body", body),
        List.of(state, rows),
        "x",
        "x");
  }

  private ModelSession open() {
    return new OnnxRuntimeProvider().open(TestModels.source(folder));
  }
}
