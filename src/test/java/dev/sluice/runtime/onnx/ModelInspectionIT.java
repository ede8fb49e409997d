package dev.sluice.runtime.onnx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.runtime.ModelSession;
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
    assertThat(ModelInspection.check(folder.resolve("model.onnx"))).containsExactly("whole");
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
