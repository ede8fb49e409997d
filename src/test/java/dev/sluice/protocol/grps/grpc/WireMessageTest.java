package dev.sluice.protocol.grps.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.WireFormat;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.Signature;
import dev.sluice.protocol.codec.protobuf.ProtobufException;
import dev.sluice.protocol.grps.DataForm;
import dev.sluice.protocol.grps.RequestInputs;
import dev.sluice.protocol.grps.grpc.proto.DataType;
import dev.sluice.protocol.grps.grpc.proto.GenericMapData;
import dev.sluice.protocol.grps.grpc.proto.GenericTensor;
import dev.sluice.protocol.grps.grpc.proto.GenericTensorData;
import dev.sluice.protocol.grps.grpc.proto.GrpsMessage;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorSpec;
import dev.sluice.testing.DeclaredModel;
import dev.sluice.testing.Mutations;
import dev.sluice.testing.NativeBodies;
import dev.sluice.testing.Tensors;
import dev.sluice.transport.Body;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class WireMessageTest {
  private static final DeclaredModel MODEL =
      DeclaredModel.of(
          spec("x", dev.sluice.tensor.DataType.FP32),
          spec("n", dev.sluice.tensor.DataType.INT8),
          spec("t", dev.sluice.tensor.DataType.BYTES));

  private static TensorSpec spec(String name, dev.sluice.tensor.DataType type) {
    return new TensorSpec(name, type, Shape.of(-1));
  }

  private static void decode(byte[] message, Consumer<List<NamedTensor>> check) {
    decode(Body.of(message), check);
  }

  private static void decode(Body message, Consumer<List<NamedTensor>> check) {
    WireMessage scanned = WireMessage.scan(message);
    try (var inputs = new RequestInputs(MODEL)) {
      scanned.decode(inputs);
      List<NamedTensor> tensors = inputs.take();
      try {
        check.accept(tensors);
      } finally {
        NamedTensor.closeAll(tensors);
      }
    }
  }

  private static GrpsMessage sound() {
    return GrpsMessage.newBuilder()
        .setModel("m")
        .setGtensors(
            GenericTensorData.newBuilder()
                .addTensors(
                    GenericTensor.newBuilder()
                        .setName("n")
                        .setDtype(DataType.DT_INT8)
                        .addShape(3)
                        .addAllFlatInt8(List.of(-1, 2, -128)))
                .addTensors(
                    GenericTensor.newBuilder()
                        .setName("t")
                        .setDtype(DataType.DT_STRING)
                        .addShape(2)
                        .addAllFlatString(List.of("ä", "")))
                .addTensors(
                    GenericTensor.newBuilder()
                        .setName("x")
                        .setDtype(DataType.DT_FLOAT32)
                        .addShape(2)
                        .addAllFlatFloat32(List.of(1.5f, Float.NaN))))
        .build();
  }

  @Test
  void packedListsAreReadIntoTensors() throws IOException {
    decode(
        sound().toByteArray(),
        tensors -> {
          assertThat(tensors).extracting(NamedTensor::name).containsExactly("n", "t", "x");
          assertThat(
                  tensors.get(0).tensor().data().toArray(java.lang.foreign.ValueLayout.JAVA_BYTE))
              .containsExactly(-1, 2, -128);
          assertThat(Tensors.toBytes(tensors.get(1).tensor()).getFirst()).hasSize(2);
          assertThat(Tensors.toFloats(tensors.get(2).tensor())).containsExactly(1.5f, Float.NaN);
        });
  }

  @Test
  void severalListsOfValuesAreRefused() throws IOException {
    GenericTensor two =
        sound().getGtensors().getTensors(2).toBuilder().addFlatInt32(3).addFlatInt32(4).build();
    byte[] message = replaced(sound(), two.toByteArray());
    assertThatThrownBy(() -> decode(message, _ -> {}))
        .isInstanceOf(InferenceException.class)
        .hasMessage(
            "the tensor for input x has values in flat_int32 and in flat_float32; wanted one list");
  }

  @Test
  void listsMayBeUnpackedAndStandBeforeTheType() throws IOException {
    byte[] tensor = unpackedFloats(2.5f, -1f);
    byte[] data = replaced(sound(), tensor);
    decode(
        data,
        tensors ->
            assertThat(Tensors.toFloats(tensors.get(2).tensor())).containsExactly(2.5f, -1f));
  }

  /** The sound message with the last tensor in other bytes. */
  private static byte[] replaced(GrpsMessage sound, byte[] last) throws IOException {
    var data = new ByteArrayOutputStream();
    CodedOutputStream out = CodedOutputStream.newInstance(data);
    out.writeMessage(1, sound.getGtensors().getTensors(0));
    out.writeMessage(1, sound.getGtensors().getTensors(1));
    out.writeByteArray(1, last);
    out.flush();
    var message = new ByteArrayOutputStream();
    CodedOutputStream outer = CodedOutputStream.newInstance(message);
    outer.writeByteArray(GrpsMessage.GTENSORS_FIELD_NUMBER, data.toByteArray());
    outer.flush();
    return message.toByteArray();
  }

  private static byte[] unpackedFloats(float... values) throws IOException {
    var bytes = new ByteArrayOutputStream();
    CodedOutputStream out = CodedOutputStream.newInstance(bytes);
    for (float value : values) {
      out.writeTag(GenericTensor.FLAT_FLOAT32_FIELD_NUMBER, WireFormat.WIRETYPE_FIXED32);
      out.writeFloatNoTag(value);
    }
    out.writeUInt32(GenericTensor.SHAPE_FIELD_NUMBER, values.length);
    out.writeEnum(GenericTensor.DTYPE_FIELD_NUMBER, DataType.DT_FLOAT32_VALUE);
    out.writeString(GenericTensor.NAME_FIELD_NUMBER, "x");
    out.flush();
    return bytes.toByteArray();
  }

  @Test
  void mapsFillOneElementEach() throws IOException {
    var map =
        GenericMapData.newBuilder().putSF("x", 0).putSI32("n", -3).putSB("t", ByteString.EMPTY);
    decode(
        GrpsMessage.newBuilder().setGmap(map).build().toByteArray(),
        tensors ->
            assertThat(tensors)
                .allSatisfy(each -> assertThat(each.tensor().shape()).isEqualTo(Shape.of(1))));
  }

  @Test
  void aMessageInNativeMemoryIsReadAsOneInAnArray() {
    var texts = GrpsMessage.newBuilder().setStrData("größe");
    var bytes = GrpsMessage.newBuilder().setBinData(ByteString.copyFromUtf8("xyz"));
    var map = GenericMapData.newBuilder().putSF("x", 0.5f).putSI32("n", -3).putSS("t", "ä");
    for (var message : List.of(sound().toBuilder(), GrpsMessage.newBuilder().setGmap(map))) {
      assertNativeLikeHeap(MODEL, message.build().toByteArray());
    }
    var text = DeclaredModel.of(spec("t", dev.sluice.tensor.DataType.BYTES));
    for (var message : List.of(texts, bytes)) {
      assertNativeLikeHeap(text, message.build().toByteArray());
    }
  }

  private static void assertNativeLikeHeap(DeclaredModel model, byte[] message) {
    try (Body body = NativeBodies.body(message, 0);
        var heap = new RequestInputs(model);
        var inputs = new RequestInputs(model)) {
      WireMessage.scan(Body.of(message)).decode(heap);
      WireMessage.scan(body).decode(inputs);
      List<NamedTensor> wanted = heap.take();
      List<NamedTensor> got = inputs.take();
      try {
        assertThat(got).hasSameSizeAs(wanted);
        for (int i = 0; i < wanted.size(); i++) {
          MemorySegment data = got.get(i).tensor().data();
          assertThat(data.mismatch(wanted.get(i).tensor().data())).isEqualTo(-1);
        }
      } finally {
        NamedTensor.closeAll(wanted);
        NamedTensor.closeAll(got);
      }
    }
  }

  @Test
  void floatsInNativeMemoryBecomeATensorWithoutACopy() {
    var tensor =
        GenericTensor.newBuilder()
            .setName("x")
            .setDtype(DataType.DT_FLOAT32)
            .addShape(2)
            .addAllFlatFloat32(List.of(1.5f, -2f));
    byte[] message =
        GrpsMessage.newBuilder()
            .setGtensors(GenericTensorData.newBuilder().addTensors(tensor))
            .build()
            .toByteArray();
    int at = message.length - 2 * Float.BYTES;
    var model = DeclaredModel.of(spec("x", dev.sluice.tensor.DataType.FP32));
    Tensor x;
    try (Body body = NativeBodies.body(message, at);
        var inputs = new RequestInputs(model)) {
      WireMessage.scan(body).decode(inputs);
      x = inputs.take().getFirst().tensor();
      assertThat(x.data().address()).isEqualTo(body.segment().address() + at);
    }
    assertThat(Tensors.toFloats(x)).containsExactly(1.5f, -2f);
    x.close();
  }

  @Test
  void aValueOutOfTheTypesRangeIsNamed() {
    var tensor =
        GenericTensor.newBuilder()
            .setName("n")
            .setDtype(DataType.DT_INT8)
            .addShape(2)
            .addAllFlatInt8(List.of(1, 128));
    var data = GenericTensorData.newBuilder().addTensors(tensor);
    byte[] message = GrpsMessage.newBuilder().setGtensors(data).build().toByteArray();
    assertThatThrownBy(() -> decode(message, _ -> {}))
        .isInstanceOf(InferenceException.class)
        .hasMessage("flat_int8[1] of input n: got 128, wanted a whole number from -128 to 127");
  }

  private static InferenceResponse response(List<NamedTensor> outputs) {
    return new InferenceResponse(
        new ModelId("m", 1), new Signature("", "", List.of(), List.of()), outputs);
  }

  @Test
  void answersAreWhatTheGeneratedClassesRead() throws IOException {
    List<NamedTensor> outputs =
        List.of(
            new NamedTensor("f", Tensors.floats(Shape.of(1, 2), 0.5f, -2f)),
            new NamedTensor("s", Tensors.texts(Shape.of(2), "a", "")),
            new NamedTensor(
                "", Tensors.zerosAndOnes(dev.sluice.tensor.DataType.UINT16, Shape.SCALAR)),
            new NamedTensor("e", Tensors.floats(Shape.of(0))));
    try {
      GrpsMessage message =
          GrpsMessage.parseFrom(
              GrpsMessageWriter.write(DataForm.TENSORS, response(outputs)).getBytes());
      assertThat(message.getStatus().getCode()).isEqualTo(200);
      GenericTensorData data = message.getGtensors();
      assertThat(data.getTensors(0).getFlatFloat32List()).containsExactly(0.5f, -2f);
      assertThat(data.getTensors(1).getFlatStringList()).containsExactly("a", "");
      assertThat(data.getTensors(2).getFlatInt32List()).containsExactly(256);
      assertThat(data.getTensors(2).getShapeList()).isEmpty();
      assertThat(data.getTensors(3).getShapeList()).containsExactly(0);
    } finally {
      NamedTensor.closeAll(outputs);
    }
  }

  @Test
  void oneTextAmongTheOutputsAnswersTextAndOtherBytesGoAsBytes() throws IOException {
    try (Tensor text = Tensors.texts(Shape.of(1, 1), "ja");
        Tensor score = Tensors.floats(Shape.of(1), 1f);
        Tensor other = Tensors.bytes(Shape.of(1), new byte[] {(byte) 0xFF})) {
      var named = List.of(new NamedTensor("a", text), new NamedTensor("b", score));
      assertThat(
              GrpsMessage.parseFrom(
                      GrpsMessageWriter.write(DataForm.TEXT, response(named)).getBytes())
                  .getStrData())
          .isEqualTo("ja");
      var bytes = List.of(new NamedTensor("a", other));
      assertThat(
              GrpsMessage.parseFrom(
                      GrpsMessageWriter.write(DataForm.TEXT, response(bytes)).getBytes())
                  .getBinData()
                  .size())
          .isEqualTo(1);
      assertThat(
              GrpsMessage.parseFrom(
                      GrpsMessageWriter.write(DataForm.MAP, response(named)).getBytes())
                  .getGmap()
                  .getSFMap())
          .containsEntry("b", 1f);
    }
  }

  @Test
  void damagedMessagesAreRefusedOrReadButNeverLeakOrThrowAnythingElse() {
    byte[] tensors = sound().toByteArray();
    byte[] map =
        GrpsMessage.newBuilder()
            .setGmap(GenericMapData.newBuilder().putSF("x", 1).putSI32("n", -3).putSS("t", "text"))
            .build()
            .toByteArray();
    var mutations = new Mutations(3);
    for (int i = 0; i < 4000; i++) {
      byte[] message = mutations.damage(i % 2 == 0 ? tensors : map);
      try (Body body = i % 4 < 2 ? Body.of(message) : NativeBodies.body(message, 0)) {
        decode(body, _ -> {});
      } catch (InferenceException e) {
        assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
      } catch (ProtobufException e) {
        assertThat(e).hasMessageNotContaining("dev.sluice");
      }
    }
  }
}
