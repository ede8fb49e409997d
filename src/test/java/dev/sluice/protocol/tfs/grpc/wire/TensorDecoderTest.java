package dev.sluice.protocol.tfs.grpc.wire;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnknownFieldSet;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.tfs.grpc.ProtoTensors;
import dev.sluice.protocol.tfs.grpc.proto.DataType;
import dev.sluice.protocol.tfs.grpc.proto.TensorProto;
import dev.sluice.protocol.tfs.grpc.proto.TensorShapeProto;
import dev.sluice.tensor.BytesElements;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.testing.NativeBodies;
import dev.sluice.transport.Body;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class TensorDecoderTest {
  private static final List<Shape> SHAPES =
      List.of(
          Shape.SCALAR,
          Shape.of(0),
          Shape.of(1),
          Shape.of(7),
          Shape.of(2, 3),
          Shape.of(3, 0, 2),
          Shape.of(2, 1, 3, 1, 2));

  private final Random random = new Random(5);

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "STRING")
  void numbersComeOutTheSameInEveryForm(WireType type) throws IOException {
    for (Shape shape : SHAPES) {
      byte[] memory = ProtoTensors.randomNumbers(type, shape, random);
      TensorProto.Builder proto = ProtoTensors.header(type, shape.dims());
      TensorProto content = proto.clone().setTensorContent(ByteString.copyFrom(memory)).build();
      ProtoTensors.addNumbers(proto, type, memory);
      TensorProto packed = proto.build();
      for (byte[] form :
          List.of(
              content.toByteArray(), packed.toByteArray(), unpacked(packed), valuesFirst(packed))) {
        assertThat(decode(form, type, shape)).isEqualTo(memory);
      }
    }
  }

  @Test
  void stringsComeOutTheSameInEveryForm() throws IOException {
    for (Shape shape : SHAPES) {
      byte[][] strings = ProtoTensors.randomStrings((int) shape.elementCount(), random);
      TensorProto.Builder proto = ProtoTensors.header(WireType.STRING, shape.dims());
      TensorProto content = proto.clone().setTensorContent(stringContent(strings)).build();
      ProtoTensors.addStrings(proto, strings);
      assertThat(strings(content)).isDeepEqualTo(strings);
      assertThat(strings(proto.build())).isDeepEqualTo(strings);
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "STRING")
  void theLastNumberIsRepeatedAndNumbersTooManyAreIgnored(WireType type) throws IOException {
    byte[] memory = ProtoTensors.randomNumbers(type, Shape.of(5), random);
    int size = type.type().byteSize();
    TensorProto.Builder proto = ProtoTensors.header(type, 2, 4);
    ProtoTensors.addNumbers(proto, type, memory);
    byte[] filled = Arrays.copyOf(memory, 8 * size);
    for (int i = 5; i < 8; i++) {
      System.arraycopy(memory, 4 * size, filled, i * size, size);
    }
    for (byte[] form : List.of(proto.build().toByteArray(), unpacked(proto.build()))) {
      assertThat(decode(form, type, Shape.of(2, 4))).isEqualTo(filled);
    }
    TensorProto three = proto.setTensorShape(ProtoTensors.shape(3)).build();
    for (byte[] form : List.of(three.toByteArray(), unpacked(three))) {
      assertThat(decode(form, type, Shape.of(3))).isEqualTo(Arrays.copyOf(memory, 3 * size));
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "STRING")
  void withoutNumbersAllAreZero(WireType type) {
    byte[] proto = ProtoTensors.header(type, 3).build().toByteArray();
    assertThat(decode(proto, type, Shape.of(3))).isEqualTo(new byte[3 * type.type().byteSize()]);
  }

  @Test
  void stringsAreFilledUpInTheSameWay() throws IOException {
    TensorProto.Builder proto = ProtoTensors.header(WireType.STRING, 3);
    assertThat(strings(proto.build())).isDeepEqualTo(new byte[3][0]);
    proto.addStringVal(ByteString.copyFromUtf8("a")).addStringVal(ByteString.copyFromUtf8("bc"));
    assertThat(texts(proto.build())).containsExactly("a", "bc", "bc");
    assertThat(texts(proto.setTensorShape(ProtoTensors.shape(1)).build())).containsExactly("a");
  }

  @Test
  void oneTensorMayMixPackedAndUnpackedPieces() throws IOException {
    TensorProto whole =
        ProtoTensors.header(WireType.INT64, 4).addInt64Val(1).addInt64Val(-2).build();
    TensorProto more = TensorProto.newBuilder().addInt64Val(3).addInt64Val(4).build();
    var message = new ByteArrayOutputStream();
    whole.writeTo(message);
    message.write(unpacked(more));
    byte[] expected = {1, 0, 0, 0, 0, 0, 0, 0, -2, -1, -1, -1, -1, -1, -1, -1};
    assertThat(decode(message.toByteArray(), WireType.INT64, Shape.of(4)))
        .startsWith(expected)
        .endsWith(new byte[] {4, 0, 0, 0, 0, 0, 0, 0});
  }

  @Test
  void anUnknownRankIsAScalar() {
    TensorProto proto =
        TensorProto.newBuilder()
            .setDtype(DataType.DT_FLOAT)
            .setTensorShape(TensorShapeProto.newBuilder().setUnknownRank(true))
            .addFloatVal(0)
            .build();
    assertThat(decode(proto.toByteArray(), WireType.FLOAT, Shape.SCALAR)).hasSize(4);
  }

  @Test
  void contentWinsOverLists() {
    TensorProto proto =
        ProtoTensors.header(WireType.UINT8, 1)
            .setTensorContent(ByteString.copyFrom(new byte[] {7}))
            .addIntVal(9)
            .addFloatVal(1)
            .build();
    assertThat(decode(proto.toByteArray(), WireType.UINT8, Shape.of(1))).containsExactly(7);
  }

  @ParameterizedTest
  @CsvSource({
    "UINT8, 300, 0, 255",
    "UINT8, -1, 0, 255",
    "INT8, 128, -128, 127",
    "INT8, -129, -128, 127",
    "INT16, 32768, -32768, 32767",
    "UINT16, 65536, 0, 65535",
    "UINT16, -1, 0, 65535",
    "QINT8, 128, -128, 127",
    "QUINT8, -1, 0, 255",
    "QINT16, 32768, -32768, 32767",
    "QUINT16, 65536, 0, 65535"
  })
  void aNumberThatDoesNotFitIsRefused(WireType type, int value, int least, int most) {
    TensorProto proto = ProtoTensors.header(type, 2).addIntVal(1).addIntVal(value).build();
    assertRefused(
        proto,
        ErrorCode.INVALID_ARGUMENT,
        "input \"x\" has %d at element 1 of int_val, wanted %d to %d for %s"
            .formatted(value, least, most, type.text()));
  }

  @Test
  void valuesInAListOfAnotherTypeAreRefusedUnlessTheRightOneHasSomeToo() {
    TensorProto.Builder proto = ProtoTensors.header(WireType.FLOAT, 1).addIntVal(1);
    assertRefused(
        proto.build(),
        ErrorCode.INVALID_ARGUMENT,
        "input \"x\" has its values in int_val, wanted float_val for float");
    assertThat(decode(proto.addFloatVal(0).build().toByteArray(), WireType.FLOAT, Shape.of(1)))
        .hasSize(4);
  }

  @Test
  void whatIsNoTensorIsRefused() {
    assertUnreadable(
        ProtoTensors.header(WireType.FLOAT, 2, -1).build(), "dimension 1 is -1, wanted 0 or more");
    assertUnreadable(TensorProto.getDefaultInstance(), "dtype is 0, wanted the type of a value");
    assertUnreadable(
        TensorProto.newBuilder().setDtype(DataType.DT_FLOAT_REF).build(),
        "dtype is 101, wanted the type of a value");
    assertUnreadable(
        ProtoTensors.header(WireType.FLOAT, 2)
            .setTensorContent(ByteString.copyFrom(new byte[7]))
            .build(),
        "tensor_content has 7 bytes, wanted 8 for float of shape [2]");
    assertUnreadable(
        ProtoTensors.header(WireType.BOOL, 1)
            .setTensorContent(ByteString.copyFrom(new byte[] {2}))
            .build(),
        "tensor_content has a byte that is neither 0 nor 1, wanted bool");
    assertUnreadable(
        ProtoTensors.header(WireType.STRING, 2)
            .setTensorContent(ByteString.copyFrom(new byte[] {1, 1, 'a'}))
            .build(),
        "tensor_content does not hold the 2 strings of shape [2]");
    assertUnreadable(
        ProtoTensors.header(WireType.FLOAT, Long.MAX_VALUE, 2).build(),
        "shape [9223372036854775807,2] has too many elements for any memory");
  }

  @Test
  void halfAComplexNumberIsRefused() {
    assertUnreadable(
        ProtoTensors.header(WireType.COMPLEX64, 2).addScomplexVal(1).build(),
        "scomplex_val has 1 values, wanted two for each element");
    assertUnreadable(
        ProtoTensors.header(WireType.COMPLEX128, 2)
            .addDcomplexVal(1)
            .addDcomplexVal(2)
            .addDcomplexVal(3)
            .build(),
        "dcomplex_val has 3 values, wanted two for each element");
    assertRefused(
        ProtoTensors.header(WireType.COMPLEX64, 1).addFloatVal(1).build(),
        ErrorCode.INVALID_ARGUMENT,
        "input \"x\" has its values in float_val, wanted scomplex_val for complex64");
  }

  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.MATCH_ALL,
      names = "DT_(RESOURCE|VARIANT|FLOAT[48]_[A-Z0-9]+|U?INT4|U?INT2)")
  void aTypeThatDoesNotTravelHereIsNamed(DataType type) {
    assertRefused(
        TensorProto.newBuilder().setDtype(type).build(),
        ErrorCode.UNIMPLEMENTED,
        "input \"x\" is " + type.name() + ", a type that is not supported");
  }

  @Test
  void repetitionIsCountedBeforeMemoryIsTaken() {
    TensorProto huge = ProtoTensors.header(WireType.FLOAT, 1_000_000_000).addFloatVal(1).build();
    EncodedTensor scanned = TensorScanner.scan("x", Body.of(huge.toByteArray()));
    assertThat(scanned.byteSize()).isEqualTo(4_000_000_000L);
    assertThat(scanned.filledBytes()).isGreaterThan(3_999_000_000L);
  }

  private static void assertUnreadable(TensorProto proto, String reason) {
    assertRefused(proto, ErrorCode.INVALID_ARGUMENT, "tensor parsing error: x: " + reason);
  }

  private static void assertRefused(TensorProto proto, ErrorCode code, String text) {
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> decode(proto.toByteArray()).close())
        .withMessage(text)
        .satisfies(e -> assertThat(e.code()).isEqualTo(code));
  }

  private static Tensor decode(byte[] proto) {
    byte[] within = new byte[proto.length + 5];
    System.arraycopy(proto, 0, within, 3, proto.length);
    Body onHeap = new Body(within, 3, proto.length);
    try (Tensor expected = TensorDecoder.decode(TensorScanner.scan("x", onHeap));
        Body landed = NativeBodies.body(proto, 0)) {
      Tensor tensor = TensorDecoder.decode(TensorScanner.scan("x", landed));
      assertThat(tensor.data().mismatch(expected.data())).isEqualTo(-1);
      return tensor;
    }
  }

  private static byte[] decode(byte[] proto, WireType type, Shape shape) {
    try (Tensor tensor = decode(proto)) {
      assertThat(tensor.type()).isEqualTo(type.type());
      assertThat(tensor.shape()).isEqualTo(shape);
      return tensor.data().toArray(JAVA_BYTE);
    }
  }

  private static byte[][] strings(TensorProto proto) {
    try (Tensor tensor = decode(proto.toByteArray())) {
      assertThat(tensor.type()).isEqualTo(WireType.STRING.type());
      var elements = new BytesElements(tensor);
      var strings = new ArrayList<byte[]>();
      while (elements.next()) {
        strings.add(elements.toArray());
      }
      return strings.toArray(new byte[0][]);
    }
  }

  private static String[] texts(TensorProto proto) {
    return Arrays.stream(strings(proto))
        .map(string -> new String(string, StandardCharsets.UTF_8))
        .toArray(String[]::new);
  }

  private static ByteString stringContent(byte[][] strings) throws IOException {
    ByteString.Output bytes = ByteString.newOutput();
    CodedOutputStream out = CodedOutputStream.newInstance(bytes);
    for (byte[] string : strings) {
      out.writeUInt32NoTag(string.length);
    }
    for (byte[] string : strings) {
      out.writeRawBytes(string);
    }
    out.flush();
    return bytes.toByteString();
  }

  /** The same message with one tag before each value, as old clients write it. */
  private static byte[] unpacked(TensorProto proto) throws IOException {
    var bytes = new ByteArrayOutputStream();
    CodedOutputStream out = CodedOutputStream.newInstance(bytes);
    proto.toBuilder()
        .clearFloatVal()
        .clearDoubleVal()
        .clearIntVal()
        .clearInt64Val()
        .clearBoolVal()
        .clearHalfVal()
        .clearScomplexVal()
        .clearDcomplexVal()
        .clearUint32Val()
        .clearUint64Val()
        .build()
        .writeTo(out);
    for (float value : proto.getFloatValList()) {
      out.writeFloat(5, value);
    }
    for (double value : proto.getDoubleValList()) {
      out.writeDouble(6, value);
    }
    for (float value : proto.getScomplexValList()) {
      out.writeFloat(9, value);
    }
    for (double value : proto.getDcomplexValList()) {
      out.writeDouble(12, value);
    }
    for (int value : proto.getIntValList()) {
      out.writeInt32(7, value);
    }
    for (long value : proto.getInt64ValList()) {
      out.writeInt64(10, value);
    }
    for (boolean value : proto.getBoolValList()) {
      out.writeBool(11, value);
    }
    for (int value : proto.getHalfValList()) {
      out.writeInt32(13, value);
    }
    for (int value : proto.getUint32ValList()) {
      out.writeUInt32(16, value);
    }
    for (long value : proto.getUint64ValList()) {
      out.writeUInt64(17, value);
    }
    out.flush();
    return bytes.toByteArray();
  }

  /** The same message with type and shape behind the values, and a field nobody knows. */
  private static byte[] valuesFirst(TensorProto proto) throws IOException {
    TensorProto values = proto.toBuilder().clearDtype().clearTensorShape().build();
    TensorProto header =
        TensorProto.newBuilder()
            .setDtype(proto.getDtype())
            .setTensorShape(proto.getTensorShape())
            .setUnknownFields(unknownFields())
            .build();
    var bytes = new ByteArrayOutputStream();
    values.writeTo(bytes);
    header.writeTo(bytes);
    return bytes.toByteArray();
  }

  private static UnknownFieldSet unknownFields() throws InvalidProtocolBufferException {
    return UnknownFieldSet.newBuilder()
        .addField(99, UnknownFieldSet.Field.newBuilder().addVarint(4).addFixed32(1).build())
        .build();
  }
}
