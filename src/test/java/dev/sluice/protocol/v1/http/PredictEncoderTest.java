package dev.sluice.protocol.v1.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.Signature;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.testing.Tensors;
import java.util.List;
import org.junit.jupiter.api.Test;

class PredictEncoderTest {
  @Test
  void rowsOfSeveralOutputsAreObjects() {
    assertThat(
            encode(
                ResponseLayout.ROWS,
                output("y", Shape.of(2), 1, 2),
                output("z", Shape.of(2, 1), 3, 4)))
        .isEqualTo("{\"predictions\":[{\"y\":1.0,\"z\":[3.0]},{\"y\":2.0,\"z\":[4.0]}]}");
  }

  @Test
  void noRowsAreAnEmptyList() {
    assertThat(encode(ResponseLayout.ROWS, output("y", Shape.of(0, 3))))
        .isEqualTo("{\"predictions\":[]}");
  }

  @Test
  void outputsOfDifferentLengthsAreNoRows() {
    assertRefused(
        "Tensor name: z has inconsistent batch size: 1 expecting: 2",
        output("y", Shape.of(2), 1, 2),
        output("z", Shape.of(1), 3));
  }

  @Test
  void anOutputWithoutDimensionsHasNoRows() {
    assertRefused("Tensor name: y has no shape information ", output("y", Shape.SCALAR, 1));
  }

  @Test
  void noOutputsAreNoAnswer() {
    assertRefused("Cannot convert empty tensor map to JSON");
  }

  @Test
  void emptyDimensionsKeepTheirPlace() {
    assertThat(encode(ResponseLayout.COLUMNS, output("y", Shape.of(2, 0))))
        .isEqualTo("{\"outputs\":[[],[]]}");
  }

  @Test
  void namesAreEscaped() {
    assertThat(
            encode(
                ResponseLayout.COLUMNS,
                output("a\"b", Shape.SCALAR, 1),
                output("c", Shape.SCALAR, 2)))
        .isEqualTo("{\"outputs\":{\"a\\\"b\":1.0,\"c\":2.0}}");
  }

  @Test
  void textIsWrittenAsItIsAndOtherBytesAsBase64() {
    byte[] notText = {(byte) 0xC3};
    Tensor tensor = Tensors.bytes(Shape.of(2), "é\u2028\u007f<\u0001".getBytes(UTF_8), notText);
    assertThat(encode(ResponseLayout.COLUMNS, new NamedTensor("y", tensor)))
        .isEqualTo("{\"outputs\":[\"é\u2028\u007f<\\u0001\",{\"b64\":\"ww==\"}]}");
  }

  @Test
  void numbersKeepTheirFormUnderANameForBytes() {
    assertThat(encode(ResponseLayout.COLUMNS, output("y_bytes", Shape.of(1), 1)))
        .isEqualTo("{\"outputs\":[1.0]}");
  }

  private static NamedTensor output(String name, Shape shape, float... values) {
    return new NamedTensor(name, Tensors.floats(shape, values));
  }

  private static void assertRefused(String text, NamedTensor... outputs) {
    assertThatThrownBy(() -> encode(ResponseLayout.ROWS, outputs))
        .isInstanceOfSatisfying(
            InferenceException.class,
            refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
        .hasMessage(text);
  }

  private static String encode(ResponseLayout form, NamedTensor... outputs) {
    var signature = new Signature("serving_default", "", List.of(), List.of());
    try (var response = new InferenceResponse(new ModelId("m", 1), signature, List.of(outputs))) {
      return PredictEncoder.encode(response, form, false).toString();
    }
  }
}
