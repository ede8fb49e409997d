package dev.sluice.protocol.oip.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnknownFieldSet;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.Signature;
import dev.sluice.protocol.oip.grpc.proto.InferParameter;
import dev.sluice.protocol.oip.grpc.proto.InferTensorContents;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest.InferInputTensor;
import dev.sluice.protocol.oip.grpc.proto.ModelInferResponse;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorMemory;
import dev.sluice.tensor.TensorSpec;
import dev.sluice.testing.FakeExchange;
import dev.sluice.testing.FakePlanes;
import dev.sluice.testing.Mutations;
import dev.sluice.testing.NativeBodies;
import dev.sluice.testing.OipServers;
import dev.sluice.testing.Tensors;
import dev.sluice.transport.Body;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class InferRequestReaderTest {
  private final long openBlocks = TensorMemory.openBlocks();
  private final Signature signature =
      new Signature(
          Signature.DEFAULT,
          "",
          List.of(
              new TensorSpec("X", DataType.INT8, Shape.of(-1)),
              new TensorSpec("F", DataType.FP32, Shape.of(-1))),
          List.of(new TensorSpec("Y", DataType.INT8, Shape.of(-1))));
  private final FakePlanes planes =
      new FakePlanes()
          .serve(
              "m",
              1,
              new ModelMetadata("onnxruntime_onnx", Map.of(Signature.DEFAULT, signature), true, 0),
              _ -> List.of());

  @AfterEach
  void nothingIsLeftInMemoryOrLeased() {
    assertThat(TensorMemory.openBlocks()).isEqualTo(openBlocks);
    assertThat(planes.leases()).isZero();
  }

  @Test
  void packedContentsBecomeTensors() {
    assertTensors(request().build().toByteArray());
  }

  @Test
  void singleContentsBecomeTensorsToo() throws IOException {
    assertTensors(withContents(unpackedInts(), unpackedFloats()));
  }

  @Test
  void contentsInSeveralPiecesAreJoined() throws IOException {
    var pieces = new ByteArrayOutputStream();
    pieces.write(packedInts(1));
    pieces.write(packedInts(-2));
    assertTensors(withContents(pieces.toByteArray(), unpackedFloats()));
  }

  @Test
  void unknownFieldsArePassedOver() {
    var unknown =
        UnknownFieldSet.newBuilder()
            .addField(77, UnknownFieldSet.Field.newBuilder().addVarint(3).addFixed64(1).build())
            .build();
    assertTensors(request().setUnknownFields(unknown).build().toByteArray());
  }

  @Test
  void numberOutOfItsTypesRangeIsRefused() {
    ModelInferRequest.Builder wide = request();
    wide.getInputsBuilder(0).getContentsBuilder().setIntContents(1, 128);
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> decode(wide.build().toByteArray()))
        .withMessage("element 1 of input 'X' for model 'm' is 128, wanted INT8");
  }

  @Test
  void shapeThatPromisesMoreThanThereIsCostsNothing() {
    ModelInferRequest.Builder huge = request();
    huge.getInputsBuilder(0).setShape(0, 1L << 40);
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> decode(huge.build().toByteArray()))
        .withMessageContaining("Expected 1099511627776, got 2");
  }

  @Test
  void negativeDimensionIsRefused() {
    ModelInferRequest.Builder negative = request();
    negative.getInputsBuilder(0).setShape(0, -1);
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> decode(negative.build().toByteArray()))
        .withMessageContaining("dimension 0 of a shape is -1");
  }

  @Test
  void mutatedMessagesAreRefusedOrTaken() {
    var mutations = new Mutations(3);
    byte[] typed = request().build().toByteArray();
    byte[] raw = raw().toByteArray();
    for (int i = 0; i < 1000; i++) {
      assertDecodesOrRefuses(mutations.damage(i % 2 == 0 ? typed : raw));
    }
  }

  private void assertDecodesOrRefuses(byte[] message) {
    try {
      decode(message).close();
    } catch (InferenceException refused) {
      assertThat(refused.getMessage()).isNotEmpty();
    }
    assertThat(TensorMemory.openBlocks()).isEqualTo(openBlocks);
    assertThat(planes.leases()).isZero();
  }

  @Test
  void answerReadsAsTheGeneratedMessage() throws InvalidProtocolBufferException {
    Tensor tensor = Tensors.floats(Shape.of(1, 300), new float[300]);
    Tensor scalar = Tensors.texts(Shape.SCALAR, "hi");
    List<NamedTensor> outputs = List.of(new NamedTensor("Y", tensor), new NamedTensor("S", scalar));
    try (var response = new InferenceResponse(new ModelId("m", 12), signature, outputs)) {
      byte[] bytes = InferResponseWriter.encode(response, "id", Map.of()).getBytes();
      ModelInferResponse answer = ModelInferResponse.parseFrom(bytes);
      assertThat(answer.toByteArray()).isEqualTo(bytes);
      assertThat(answer.getModelVersion()).isEqualTo("12");
      assertThat(answer.getOutputs(0).getShapeList()).containsExactly(1L, 300L);
      assertThat(answer.getOutputs(1).getShapeCount()).isZero();
      assertThat(answer.getRawOutputContents(0).size()).isEqualTo(1200);
      assertThat(answer.getRawOutputContents(1).size()).isEqualTo(6);
    }
  }

  private void assertTensors(byte[] message) {
    try (InferenceRequest request = decode(message)) {
      Tensor bytes = request.inputs().get(0).tensor();
      assertThat(bytes.data().toArray(ValueLayout.JAVA_BYTE)).containsExactly(1, -2);
      assertThat(Tensors.toFloats(request.inputs().get(1).tensor())).containsExactly(0.5f, 2f);
    }
  }

  /** Decodes a message from the heap and from native memory, which must be the same. */
  private InferenceRequest decode(byte[] message) {
    try (InferenceRequest onHeap = decode(Body.of(message));
        Body landed = NativeBodies.body(message, 0)) {
      InferenceRequest request = decode(landed);
      for (int i = 0; i < onHeap.inputs().size(); i++) {
        Tensor tensor = request.inputs().get(i).tensor();
        assertThat(tensor.data().mismatch(onHeap.inputs().get(i).tensor().data())).isEqualTo(-1);
      }
      return request;
    }
  }

  private InferenceRequest decode(Body message) {
    var server = OipServers.of(planes, () -> 0);
    return InferRequestReader.decode(server, message, new FakeExchange(), Map.of(), null).request();
  }

  private static ModelInferRequest.Builder request() {
    var ints = InferTensorContents.newBuilder().addIntContents(1).addIntContents(-2);
    var floats = InferTensorContents.newBuilder().addFp32Contents(0.5f).addFp32Contents(2);
    return ModelInferRequest.newBuilder()
        .setModelName("m")
        .putParameters("p", InferParameter.newBuilder().setStringParam("v").build())
        .addInputs(input("X", "INT8").setContents(ints))
        .addInputs(input("F", "FP32").setContents(floats));
  }

  private static ModelInferRequest raw() {
    return ModelInferRequest.newBuilder()
        .setModelName("m")
        .addInputs(input("X", "INT8"))
        .addInputs(input("F", "FP32"))
        .addRawInputContents(ByteString.copyFrom(new byte[] {1, -2}))
        .addRawInputContents(ByteString.copyFrom(new byte[8]))
        .build();
  }

  private static InferInputTensor.Builder input(String name, String datatype) {
    return InferInputTensor.newBuilder().setName(name).setDatatype(datatype).addShape(2);
  }

  /** A request whose contents are written by hand. */
  private static byte[] withContents(byte[] ints, byte[] floats) throws IOException {
    var bytes = new ByteArrayOutputStream();
    CodedOutputStream out = CodedOutputStream.newInstance(bytes);
    out.writeString(1, "m");
    writeInput(out, input("X", "INT8").build(), ints);
    writeInput(out, input("F", "FP32").build(), floats);
    out.flush();
    return bytes.toByteArray();
  }

  private static void writeInput(CodedOutputStream out, InferInputTensor head, byte[] contents)
      throws IOException {
    var bytes = new ByteArrayOutputStream();
    CodedOutputStream input = CodedOutputStream.newInstance(bytes);
    input.writeByteArray(5, contents);
    head.writeTo(input);
    input.flush();
    out.writeByteArray(5, bytes.toByteArray());
  }

  private static byte[] packedInts(int value) {
    return InferTensorContents.newBuilder().addIntContents(value).build().toByteArray();
  }

  private static byte[] unpackedInts() throws IOException {
    var bytes = new ByteArrayOutputStream();
    CodedOutputStream out = CodedOutputStream.newInstance(bytes);
    out.writeInt32(2, 1);
    out.writeInt32(2, -2);
    out.flush();
    return bytes.toByteArray();
  }

  private static byte[] unpackedFloats() throws IOException {
    var bytes = new ByteArrayOutputStream();
    CodedOutputStream out = CodedOutputStream.newInstance(bytes);
    out.writeFloat(6, 0.5f);
    out.writeFloat(6, 2);
    out.flush();
    return bytes.toByteArray();
  }
}
