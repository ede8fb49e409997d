package dev.sluice.protocol.oip.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.Signature;
import dev.sluice.protocol.oip.http.InferEncoder.Encoded;
import dev.sluice.protocol.oip.http.json.OutputForms;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.testing.Tensors;
import java.util.List;
import org.junit.jupiter.api.Test;

class InferEncoderTest {
  @Test
  void dataIsFlatAndKeysComeInTheProtocolsOrder() {
    Tensor tensor = Tensors.floats(Shape.of(2, 1), 1, 0.1f);
    assertThat(encode("7", new OutputForms(), tensor).body().toString())
        .isEqualTo(
            "{\"id\":\"7\",\"model_name\":\"m\",\"model_version\":\"3\",\"outputs\":"
                + "[{\"name\":\"Y\",\"datatype\":\"FP32\",\"shape\":[2,1],\"data\":[1.0,0.1]}]}");
  }

  @Test
  void binaryOutputFollowsTheJson() {
    var forms = new OutputForms();
    forms.add("Y", true, 0);
    Encoded encoded = encode("", forms, Tensors.floats(Shape.of(1), 1));
    assertThat(encoded.hasBinary()).isTrue();
    assertThat(encoded.body().getString(0, encoded.jsonLength()))
        .endsWith("\"shape\":[1],\"parameters\":{\"binary_data_size\":4}}]}");
    assertThat(encoded.body().getFloatLE(encoded.jsonLength())).isEqualTo(1);
    assertThat(encoded.body().length()).isEqualTo(encoded.jsonLength() + 4);
  }

  @Test
  void bytesThatAreNoTextAreBase64AndSaySo() {
    Tensor tensor = Tensors.bytes(Shape.of(2), new byte[] {'a'}, new byte[] {(byte) 0xC3});
    assertThat(encode("", new OutputForms(), tensor).body().toString())
        .contains("\"parameters\":{\"content_type\":\"base64\"},\"data\":[\"YQ==\",\"ww==\"]");
  }

  @Test
  void textStaysText() {
    Tensor tensor = Tensors.texts(Shape.of(1), "é世");
    assertThat(encode("", new OutputForms(), tensor).body().toString())
        .contains("\"data\":[\"é世\"]");
  }

  private static Encoded encode(String id, OutputForms forms, Tensor tensor) {
    var signature = new Signature(Signature.DEFAULT, "", List.of(), List.of());
    try (var response =
        new InferenceResponse(
            new ModelId("m", 3), signature, List.of(new NamedTensor("Y", tensor)))) {
      return InferEncoder.encode(response, id, forms);
    }
  }
}
