package dev.sluice.boot.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.security.ControlAccess;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.config.server.ListenerConfig.Protocol;
import dev.sluice.config.server.ListenerConfig.V1Dialect;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.Signature;
import dev.sluice.inference.VersionState;
import dev.sluice.inference.control.VersionStatus;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorSpec;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ExampleRequestTest {
  private static final TensorSpec ROWS = new TensorSpec("x", DataType.FP32, Shape.of(-1, 2));
  private static final TensorSpec TEXTS = new TensorSpec("t", DataType.BYTES, Shape.of(-1));
  private static final TensorSpec FIXED = new TensorSpec("it's", DataType.INT32, Shape.of(1, 2));

  @Test
  void singleInputIsAskedWithRows() {
    assertThat(curl(Protocol.TFS, ROWS))
        .contains(
            "curl -d '{\"instances\":[[1.0,1.0]]}' http://localhost:8080/v1/models/m:predict");
  }

  @Test
  void severalInputsAreNamedInTheRow() {
    assertThat(curl(Protocol.KSERVE, ROWS, TEXTS))
        .contains(
            "curl -d '{\"instances\":[{\"x\":[1.0,1.0],\"t\":\"text\"}]}'"
                + " http://localhost:8080/v1/models/m:predict");
  }

  @Test
  void inputsWithoutRowsAreAskedThroughV2() {
    assertThat(curl(Protocol.OIP, FIXED))
        .contains(
            "curl -d '{\"inputs\":[{\"name\":\"it'\\''s\",\"datatype\":\"INT32\",\"shape\":[1,2],"
                + "\"data\":[0,0]}]}' http://localhost:8080/v2/models/m/infer");
  }

  @Test
  void inputOfUnknownShapeIsAskedWithOneElement() {
    assertThat(curl(Protocol.OIP, new TensorSpec("b", DataType.BOOL, Shape.UNKNOWN)).orElse(""))
        .contains("\"shape\":[1],\"data\":[false]");
  }

  @Test
  void inputsTooLargeTogetherHaveNoExample() {
    TensorSpec[] caches =
        IntStream.range(0, 12)
            .mapToObj(i -> new TensorSpec("past" + i, DataType.FP32, Shape.of(-1, 100)))
            .toArray(TensorSpec[]::new);
    assertThat(curl(Protocol.TFS, caches)).isEmpty();
  }

  @Test
  void inputTooLargeToTypeHasNoExample() {
    assertThat(curl(Protocol.OIP, new TensorSpec("x", DataType.FP32, Shape.of(-1, 224, 224, 3))))
        .isEmpty();
    assertThat(curl(Protocol.OIP, new TensorSpec("x", DataType.FP32, Shape.of(Long.MAX_VALUE, 9))))
        .isEmpty();
  }

  @Test
  void modelThatAnswersByStreamIsAskedForOneOnlyIfNoOtherModelIsThere() {
    ModelLine writer = model("writer", true, TEXTS);
    ModelLine other = model("other_model_with_long_name", false, ROWS);

    assertThat(example(Protocol.OIP).curl(List.of(writer)))
        .contains(
            "curl -d '{\"t\":\"text\"}' http://localhost:8080/v2/models/writer/generate_stream");
    assertThat(example(Protocol.OIP).curl(List.of(writer, other)).orElse(""))
        .contains("other_model_with_long_name/infer");
    assertThat(example(Protocol.TFS).curl(List.of(writer))).isEmpty();
  }

  @Test
  void listenerOnEveryInterfaceIsAskedOnThisMachine() {
    assertThat(ExampleRequest.url("0.0.0.0:8500")).isEqualTo("http://localhost:8500");
    assertThat(ExampleRequest.url("[::]:8500")).isEqualTo("http://localhost:8500");
    assertThat(ExampleRequest.url("[::1]:8500")).isEqualTo("http://[::1]:8500");
  }

  @Test
  void modelThatTakesNoRequestsHasNoExample() {
    var loading =
        new ModelLine(
            "m", Optional.of(VersionStatus.of(1, VersionState.LOADING)), Optional.empty());
    assertThat(example(Protocol.OIP).curl(List.of(loading))).isEmpty();
  }

  private static Optional<String> curl(Protocol protocol, TensorSpec... inputs) {
    return example(protocol).curl(List.of(model("m", false, inputs)));
  }

  private static ModelLine model(String name, boolean decoupled, TensorSpec... inputs) {
    var signature = new Signature(Signature.DEFAULT, "", List.of(inputs), List.of());
    var metadata =
        new ModelMetadata("onnxruntime_onnx", Map.of(Signature.DEFAULT, signature), true, 0)
            .withDecoupled(decoupled);
    return new ModelLine(
        name, Optional.of(VersionStatus.of(1, VersionState.AVAILABLE)), Optional.of(metadata));
  }

  private static ExampleRequest example(Protocol protocol) {
    return new ExampleRequest(
        new ListenerConfig(
            "localhost",
            8080,
            Set.of(protocol),
            V1Dialect.BOTH,
            "/metrics",
            ControlAccess.POLICY,
            false,
            Optional.empty()),
        "localhost:8080");
  }
}
