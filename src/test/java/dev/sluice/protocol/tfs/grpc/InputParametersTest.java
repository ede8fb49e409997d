package dev.sluice.protocol.tfs.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.sluice.inference.Deadline;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.ParameterValue;
import dev.sluice.inference.RequestOptions;
import dev.sluice.inference.SequenceStep;
import dev.sluice.inference.Signature;
import dev.sluice.protocol.tfs.PredictMessages;
import dev.sluice.protocol.tfs.grpc.proto.PredictRequest;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorSpec;
import dev.sluice.testing.FakeModelLease;
import dev.sluice.transport.Body;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class InputParametersTest {
  private static final Signature SIGNATURE =
      new Signature(
          Signature.DEFAULT,
          "",
          List.of(new TensorSpec("seed", DataType.INT64, Shape.of(1))),
          List.of());
  private static final ModelMetadata MODEL =
      new ModelMetadata("java", Map.of(SIGNATURE.name(), SIGNATURE), true, 0)
          .withParameters(Set.of("seed", "top_p", "steps", "stop", "ignore_eos"));
  private static final Map<String, ParameterValue> PARAMETERS =
      Map.of(
          "top_p", new ParameterValue.Fraction(0.1),
          "steps", new ParameterValue.Whole(-7, false),
          "stop", new ParameterValue.Text("…"),
          "ignore_eos", new ParameterValue.Flag(true));

  private static Map<String, Body> logged(Map<String, ParameterValue> parameters)
      throws InvalidProtocolBufferException {
    var lease = new FakeModelLease(new ModelId("m", 1), MODEL).acquire();
    byte[] message;
    try (var request =
        new InferenceRequest(
            lease,
            SIGNATURE,
            List.of(),
            List.of(),
            Deadline.NONE,
            "id",
            new RequestOptions(0, SequenceStep.NONE, parameters))) {
      message = PredictMessages.of(request);
    }
    Map<String, Body> inputs = new LinkedHashMap<>();
    PredictRequest.parseFrom(message)
        .getInputsMap()
        .forEach((name, tensor) -> inputs.put(name, Body.of(tensor.toByteArray())));
    return inputs;
  }

  @Test
  void aLoggedRequestHasItsParametersWhenItIsReadAgain() throws Exception {
    Map<String, Body> inputs = logged(PARAMETERS);
    assertThat(InputParameters.take(inputs, MODEL, SIGNATURE).parameters()).isEqualTo(PARAMETERS);
    assertThat(inputs).isEmpty();
  }

  @Test
  void anInputOfTheSignatureIsNoParameterAndNeitherIsAnUnknownOne() throws Exception {
    Map<String, Body> inputs =
        logged(
            Map.of(
                "seed", new ParameterValue.Whole(1, false),
                "other", new ParameterValue.Whole(2, false)));
    assertThat(InputParameters.take(inputs, MODEL, SIGNATURE).parameters()).isEmpty();
    assertThat(inputs).containsOnlyKeys("seed", "other");
  }
}
