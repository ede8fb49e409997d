package dev.sluice.scheduling.batching;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.model.BatchingConfig;
import dev.sluice.inference.CompositeTensor;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.Signature;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorSpec;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeclaredRowsTest {
  /** Declares tensors such as {@code n,4; m}: numbers, names, or ? for an open one without one. */
  private static List<TensorSpec> specs(String kind, String declared) {
    return Arrays.stream(declared.split(";")).map(dims -> spec(kind, dims.strip())).toList();
  }

  private static TensorSpec spec(String kind, String declared) {
    String name = kind + " " + declared;
    if (declared.equals("any")) {
      return new TensorSpec(name, DataType.FP32, Shape.UNKNOWN);
    }
    List<String> dims = declared.equals("scalar") ? List.of() : List.of(declared.split(" "));
    long[] sizes =
        dims.stream()
            .mapToLong(dim -> dim.matches("\\d+") ? Long.parseLong(dim) : Shape.ANY)
            .toArray();
    List<String> names = dims.stream().map(dim -> dim.matches("[a-z]+") ? dim : "").toList();
    return new TensorSpec(name, DataType.FP32, Shape.of(sizes), false, name, "", names);
  }

  private static Signature signature(String inputs, String outputs) {
    return new Signature("test", "", specs("in", inputs), specs("out", outputs));
  }

  @ParameterizedTest
  @CsvSource({
    "n 4, n 3",
    "n 4; n 4, n 3; n",
    "n t; n t, n t 8; n",
    "any, any",
    "? 4; ? 4, ? 3",
    // Names that are used once may be made up by an exporter.
    "n 4, unknown 3",
    "a 4; b 4, c 3",
    "n 4; ?, ? 3",
    "n n, n",
  })
  void modelsWithACommonFirstDimensionAreJoined(String inputs, String outputs) {
    assertThat(DeclaredRows.obstacle(signature(inputs, outputs))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "8 4, n 3, in 8 4",
    "scalar; n, n, in scalar",
    "n 4, 1 3, out 1 3",
    "n 4, n; scalar, out scalar",
    "n t, t n, 'out t n'",
    "n t; n t, n; t 4, 'out t 4'",
    "entries 4; n, n 4, '[entries, n]'",
    "a 4; b 4; a, c 3, '[a, b]'",
  })
  void modelsThatDeclareOtherwiseAreNotJoined(String inputs, String outputs, String reason) {
    Signature signature = signature(inputs, outputs);
    assertThat(DeclaredRows.obstacle(signature).orElseThrow()).contains(reason);
    var rules =
        new BatchRules(
            new BatchingConfig(8, true, Duration.ZERO, List.of(), List.of()),
            new ModelMetadata("test", Map.of("test", signature), true, 8));
    assertThat(rules.obstacles().get("test")).contains(reason);
  }

  @Test
  void modelsWithoutBatchingAreNotReported() {
    var metadata = new ModelMetadata("test", Map.of("test", signature("n 4", "1 3")), true, 0);
    assertThat(new BatchRules(BatchingConfig.DEFAULT, metadata).obstacles()).isEmpty();
  }

  @Test
  void raggedTensorsAreNotJoinedAlthoughEachOfTheirPartsLooksLikeRows() {
    var ragged =
        new CompositeTensor(
            "ragged tensor", List.of("x/flat_values", "x/row_splits_0"), ByteBuffer.allocate(0));
    Signature plain = signature("?; ?", "?");
    var signature =
        new Signature(
            "test", "", plain.inputs(), plain.outputs(), Map.of(), Map.of("x", ragged), Map.of());
    assertThat(DeclaredRows.obstacle(plain)).isEmpty();
    assertThat(DeclaredRows.obstacle(signature)).contains("input 'x' is a ragged tensor");
  }
}
