package dev.sluice.protocol.tfs.grpc;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.Signature;
import dev.sluice.protocol.tfs.grpc.proto.PredictResponse;
import dev.sluice.protocol.tfs.grpc.proto.TensorProto;
import dev.sluice.protocol.tfs.grpc.wire.TensorDecoder;
import dev.sluice.protocol.tfs.grpc.wire.TensorScanner;
import dev.sluice.protocol.tfs.grpc.wire.WireType;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorBuilder;
import dev.sluice.transport.Body;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PredictResponseWriterTest {
  private static final PredictSettings CONTENT = new PredictSettings(0, true);
  private static final List<Shape> SHAPES =
      List.of(Shape.SCALAR, Shape.of(0), Shape.of(40), Shape.of(2, 3), Shape.of(300, 0));

  private final Random random = new Random(7);

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "STRING")
  void everyNumberIsWrittenOutInTheListOfItsType(WireType type)
      throws InvalidProtocolBufferException {
    for (Shape shape : SHAPES) {
      byte[] memory = ProtoTensors.randomNumbers(type, shape, random);
      TensorProto.Builder expected = ProtoTensors.header(type, shape.dims());
      ProtoTensors.addNumbers(expected, type, memory);
      PredictResponse response = write(PredictSettings.DEFAULT, numbers(type, shape, memory));
      assertThat(response.getOutputsOrThrow("out").toByteString())
          .isEqualTo(expected.build().toByteString());
    }
  }

  @ParameterizedTest
  @EnumSource
  void contentReadsBackAsTheSameTensor(WireType type) throws InvalidProtocolBufferException {
    for (Shape shape : SHAPES) {
      Tensor tensor = any(type, shape);
      byte[] memory = tensor.data().toArray(JAVA_BYTE);
      TensorProto proto = write(CONTENT, tensor).getOutputsOrThrow("out");
      assertThat(proto.getTensorContent().isEmpty()).isEqualTo(memory.length == 0);
      Body body = Body.of(proto.toByteArray());
      try (Tensor back = TensorDecoder.decode(TensorScanner.scan("out", body))) {
        assertThat(back.shape()).isEqualTo(shape);
        assertThat(back.data().toArray(JAVA_BYTE)).isEqualTo(memory);
      }
    }
  }

  @Test
  void everyStringIsWrittenOut() throws InvalidProtocolBufferException {
    for (Shape shape : SHAPES) {
      byte[][] strings = ProtoTensors.randomStrings((int) shape.elementCount(), random);
      TensorProto.Builder expected = ProtoTensors.header(WireType.STRING, shape.dims());
      ProtoTensors.addStrings(expected, strings);
      PredictResponse response = write(PredictSettings.DEFAULT, strings(shape, strings));
      assertThat(response.getOutputsOrThrow("out")).isEqualTo(expected.build());
    }
  }

  @Test
  void theResponseNamesTheVersionAndTheSignatureThatAnswered()
      throws InvalidProtocolBufferException {
    PredictResponse response =
        write(
            PredictSettings.DEFAULT,
            any(WireType.FLOAT, Shape.of(2)),
            any(WireType.INT8, SHAPES.get(0)));
    assertThat(response.getModelSpec().getName()).isEqualTo("model");
    assertThat(response.getModelSpec().getVersion().getValue()).isEqualTo(300);
    assertThat(response.getModelSpec().getSignatureName()).isEqualTo("serving_default");
    assertThat(response.getOutputsMap()).containsOnlyKeys("out", "out1");
  }

  private Tensor any(WireType type, Shape shape) {
    return type == WireType.STRING
        ? strings(shape, ProtoTensors.randomStrings((int) shape.elementCount(), random))
        : numbers(type, shape, ProtoTensors.randomNumbers(type, shape, random));
  }

  private static Tensor numbers(WireType type, Shape shape, byte[] memory) {
    Tensor tensor = Tensor.allocate(type.type(), shape);
    tensor.data().copyFrom(MemorySegment.ofArray(memory));
    return tensor;
  }

  private static Tensor strings(Shape shape, byte[][] strings) {
    try (var builder = new TensorBuilder(DataType.BYTES, 64)) {
      for (byte[] string : strings) {
        builder.putBytes(string, 0, string.length);
      }
      return builder.build(shape);
    }
  }

  /** Writes the tensors as outputs "out", "out1", …, frees them and reads the message. */
  private static PredictResponse write(PredictSettings settings, Tensor... tensors)
      throws InvalidProtocolBufferException {
    var outputs = new ArrayList<NamedTensor>();
    for (int i = 0; i < tensors.length; i++) {
      outputs.add(new NamedTensor(i == 0 ? "out" : "out" + i, tensors[i]));
    }
    var signature = new Signature(Signature.DEFAULT, "", List.of(), List.of());
    try (var response = new InferenceResponse(new ModelId("model", 300), signature, outputs)) {
      return PredictResponse.parseFrom(PredictResponseWriter.write(response, settings).getBytes());
    }
  }
}
