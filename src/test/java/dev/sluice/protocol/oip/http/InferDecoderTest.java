package dev.sluice.protocol.oip.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.sluice.inference.Deadline;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.Signature;
import dev.sluice.inference.access.Caller;
import dev.sluice.protocol.oip.OipModels;
import dev.sluice.protocol.oip.http.InferDecoder.Decoded;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorMemory;
import dev.sluice.tensor.TensorSpec;
import dev.sluice.testing.FakePlanes;
import dev.sluice.testing.Mutations;
import dev.sluice.testing.NativeBodies;
import dev.sluice.testing.OipServers;
import dev.sluice.testing.Tensors;
import dev.sluice.transport.Body;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class InferDecoderTest {
  private static final long NOW = 1_000_000;
  private static final String REQUEST =
      """
      {"id":"a","parameters":{"timeout":5,"x":true},"inputs":[
        {"name":"X","shape":[1,2],"datatype":"FP32","data":[[1.5,-2e0]]},
        {"data":["a","\\u00e9"],"datatype":"BYTES","name":"S","shape":[1,2]}],
       "outputs":[{"name":"Y","parameters":{"binary_data":true}}]}
      """;

  private final long openBlocks = TensorMemory.openBlocks();
  private final Signature signature =
      new Signature(
          Signature.DEFAULT,
          "",
          List.of(
              new TensorSpec("X", DataType.FP32, Shape.of(-1, 2)),
              new TensorSpec("S", DataType.BYTES, Shape.of(-1, 2))),
          List.of(new TensorSpec("Y", DataType.FP32, Shape.of(-1, 2))));
  private final FakePlanes planes =
      new FakePlanes()
          .serve(
              "m",
              1,
              new ModelMetadata("onnxruntime_onnx", Map.of(Signature.DEFAULT, signature), true, 4),
              _ -> List.of());

  @AfterEach
  void nothingIsLeftInMemory() {
    assertThat(TensorMemory.openBlocks()).isEqualTo(openBlocks);
  }

  @Test
  void requestBecomesTensorsInTheModelsTypes() {
    Decoded decoded = decode(REQUEST.getBytes(StandardCharsets.UTF_8), null);
    try (InferenceRequest request = decoded.request()) {
      assertThat(decoded.id()).isEqualTo("a");
      assertThat(request.outputs()).containsExactly("Y");
      assertThat(decoded.outputs().isBinary("Y")).isTrue();
      assertThat(Tensors.toFloats(request.inputs().get(0).tensor())).containsExactly(1.5f, -2f);
      assertThat(Tensors.toBytes(request.inputs().get(1).tensor()))
          .containsExactly(new byte[] {'a'}, "é".getBytes(StandardCharsets.UTF_8));
    }
  }

  @Test
  void timeoutIsCountedFromNowInMicroseconds() {
    try (InferenceRequest request =
        decode(REQUEST.getBytes(StandardCharsets.UTF_8), null).request()) {
      assertThat(request.deadline()).isEqualTo(Deadline.at(NOW + 5_000));
    }
  }

  @Test
  void failureBehindADecodedInputFreesIt() {
    String broken = REQUEST.replace("\"outputs\":[", "\"outputs\":[7,");
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> decode(broken.getBytes(StandardCharsets.UTF_8), null))
        .withMessageContaining("attempt to access JSON non-object as object, got 7");
  }

  @Test
  void bytesAreCopiedFromBehindTheJson() {
    try (InferenceRequest request = decode(binaryBody(), jsonLength()).request()) {
      assertThat(Tensors.toFloats(request.inputs().get(0).tensor())).containsExactly(3f, 4f);
      assertThat(Tensors.toBytes(request.inputs().get(1).tensor()))
          .containsExactly(new byte[] {'h', 'i'}, new byte[0]);
    }
  }

  @Test
  void aTensorThatLandedOnItsBoundaryIsNotCopiedAgain() {
    int at = binaryJson().length;
    try (Body landed = NativeBodies.body(binaryBody(), at);
        InferenceRequest request = decode(landed, jsonLength()).request()) {
      Tensor tensor = request.inputs().getFirst().tensor();
      assertThat(Tensors.toFloats(tensor)).containsExactly(3, 4);
      assertThat(tensor.data().address()).isEqualTo(landed.segment().address() + at);
      assertThat(Tensors.toBytes(request.inputs().get(1).tensor()))
          .containsExactly(new byte[] {'h', 'i'}, new byte[0]);
    }
  }

  @Test
  void mutatedJsonIsRefusedOrTaken() {
    var mutations = new Mutations(1);
    for (int i = 0; i < 1000; i++) {
      assertDecodesOrRefuses(mutations.damage(REQUEST.getBytes(StandardCharsets.UTF_8)), null);
    }
  }

  @Test
  void mutatedBinaryDataIsRefusedOrTaken() {
    var mutations = new Mutations(2);
    for (int i = 0; i < 1000; i++) {
      assertDecodesOrRefuses(mutations.damage(binaryBody()), jsonLength());
    }
  }

  private void assertDecodesOrRefuses(byte[] body, @Nullable String jsonLength) {
    try {
      decode(body, jsonLength).request().close();
      try (Body landed = NativeBodies.body(body, 3)) {
        decode(landed, jsonLength).request().close();
      }
    } catch (InferenceException refused) {
      assertThat(refused.getMessage()).isNotEmpty();
    }
    assertThat(TensorMemory.openBlocks()).isEqualTo(openBlocks);
  }

  private static byte[] binaryJson() {
    return """
    {"inputs":[
      {"name":"X","shape":[1,2],"datatype":"FP32","parameters":{"binary_data_size":8}},
      {"name":"S","shape":[1,2],"datatype":"BYTES","parameters":{"binary_data_size":10}}]}\
    """
        .getBytes(StandardCharsets.UTF_8);
  }

  private static String jsonLength() {
    return Integer.toString(binaryJson().length);
  }

  private static byte[] binaryBody() {
    ByteBuffer body = ByteBuffer.allocate(binaryJson().length + 18).order(ByteOrder.LITTLE_ENDIAN);
    body.put(binaryJson()).putFloat(3).putFloat(4).putInt(2).put((byte) 'h').put((byte) 'i');
    return body.putInt(0).array();
  }

  private Decoded decode(byte[] body, @Nullable String jsonLength) {
    return decode(Body.of(body), jsonLength);
  }

  private Decoded decode(Body body, @Nullable String jsonLength) {
    var server = OipServers.of(planes, () -> NOW);
    ModelLease model = OipModels.admit(planes, new ModelSelector.Latest("m"), Caller.SERVER);
    return new InferDecoder(server, model, Deadline.NONE, "r", Map.of(), null)
        .decode(body, jsonLength);
  }
}
