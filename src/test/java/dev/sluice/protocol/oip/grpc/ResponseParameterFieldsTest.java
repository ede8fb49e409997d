package dev.sluice.protocol.oip.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.sluice.inference.ParameterValue;
import dev.sluice.protocol.oip.grpc.proto.InferParameter;
import dev.sluice.protocol.oip.grpc.proto.ModelInferResponse;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ResponseParameterFieldsTest {
  @Test
  void aClientReadsEachKindOfValueAndDefaultsToo() throws Exception {
    Map<String, ParameterValue> parameters = new LinkedHashMap<>();
    parameters.put("end", new ParameterValue.Flag(true));
    parameters.put("not", new ParameterValue.Flag(false));
    parameters.put("below", new ParameterValue.Whole(-3, false));
    parameters.put("share", new ParameterValue.Fraction(0.25));
    parameters.put("größe", new ParameterValue.Text("é"));
    assertThat(
            ModelInferResponse.parseFrom(ResponseParameterFields.encode(parameters))
                .getParametersMap())
        .containsExactly(
            entry("end", InferParameter.newBuilder().setBoolParam(true).build()),
            entry("not", InferParameter.newBuilder().setBoolParam(false).build()),
            entry("below", InferParameter.newBuilder().setInt64Param(-3).build()),
            entry("share", InferParameter.newBuilder().setDoubleParam(0.25).build()),
            entry("größe", InferParameter.newBuilder().setStringParam("é").build()));
  }
}
