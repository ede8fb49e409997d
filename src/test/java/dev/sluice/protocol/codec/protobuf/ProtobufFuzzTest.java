package dev.sluice.protocol.codec.protobuf;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.DiscardUnknownFieldsParser;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.UnknownFieldSet;
import dev.sluice.protocol.grps.grpc.proto.GenericMapData;
import dev.sluice.protocol.grps.grpc.proto.GenericTensor;
import dev.sluice.protocol.grps.grpc.proto.GenericTensorData;
import dev.sluice.protocol.grps.grpc.proto.GrpsMessage;
import dev.sluice.protocol.oip.grpc.proto.InferParameter;
import dev.sluice.protocol.oip.grpc.proto.InferTensorContents;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest.InferInputTensor;
import dev.sluice.protocol.tfs.grpc.proto.DataType;
import dev.sluice.protocol.tfs.grpc.proto.Example;
import dev.sluice.protocol.tfs.grpc.proto.Feature;
import dev.sluice.protocol.tfs.grpc.proto.Features;
import dev.sluice.protocol.tfs.grpc.proto.Int64List;
import dev.sluice.protocol.tfs.grpc.proto.ModelSpec;
import dev.sluice.protocol.tfs.grpc.proto.PredictRequest;
import dev.sluice.protocol.tfs.grpc.proto.TensorProto;
import dev.sluice.testing.Mutations;
import dev.sluice.testing.NativeBodies;
import dev.sluice.transport.Body;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Any bytes are refused or read just as protobuf's own parsers do it. */
class ProtobufFuzzTest {
  private static final int DAMAGED = 20_000;
  private static final int RANDOM = 100_000;

  static List<Message> messages() {
    return List.of(tensors(), maps(), inferRequest(), predictRequest(), example());
  }

  private static Message tensors() {
    var tensor =
        GenericTensor.newBuilder()
            .setName("größe")
            .setDtype(dev.sluice.protocol.grps.grpc.proto.DataType.DT_FLOAT32)
            .addAllShape(List.of(2, -1))
            .addAllFlatInt8(List.of(-1, 127))
            .addAllFlatInt64(List.of(Long.MIN_VALUE, 300L))
            .addAllFlatFloat32(List.of(0.5f, Float.NEGATIVE_INFINITY))
            .addAllFlatFloat64(List.of(-0.25))
            .addAllFlatString(List.of("", "ä\uFFFD"));
    return GrpsMessage.newBuilder()
        .setModel("m-1")
        .setGtensors(GenericTensorData.newBuilder().addTensors(tensor).addTensors(tensor))
        .build();
  }

  private static Message maps() {
    var map =
        GenericMapData.newBuilder()
            .putSS("s", "text")
            .putSB("b", ByteString.copyFrom(new byte[] {-1, 0}))
            .putSI32("i", -3)
            .putSF("f", 1.5f)
            .putSD("d", 2.5);
    return GrpsMessage.newBuilder().setGmap(map).build();
  }

  private static Message inferRequest() {
    var contents =
        InferTensorContents.newBuilder()
            .addAllBoolContents(List.of(true, false))
            .addAllUintContents(List.of(-1, 1))
            .addAllUint64Contents(List.of(-1L))
            .addAllFp64Contents(List.of(1e300))
            .addBytesContents(ByteString.copyFromUtf8("x"));
    return ModelInferRequest.newBuilder()
        .setModelName("m")
        .setId("42")
        .putParameters("p", InferParameter.newBuilder().setInt64Param(-1).build())
        .putParameters("q", InferParameter.newBuilder().setDoubleParam(0.1).build())
        .addInputs(
            InferInputTensor.newBuilder()
                .setName("x")
                .setDatatype("UINT32")
                .addShape(2)
                .setContents(contents))
        .addRawInputContents(ByteString.copyFrom(new byte[200]))
        .build();
  }

  private static Message predictRequest() {
    var tensor =
        TensorProto.newBuilder()
            .setDtype(DataType.DT_INT64)
            .addInt64Val(-5)
            .addHalfVal(65535)
            .addStringVal(ByteString.EMPTY)
            .setTensorContent(ByteString.copyFrom(new byte[16]));
    return PredictRequest.newBuilder()
        .setModelSpec(ModelSpec.newBuilder().setName("m").setSignatureName("s"))
        .putInputs("x", tensor.build())
        .addOutputFilter("y")
        .build();
  }

  private static Message example() {
    var list = Int64List.newBuilder().addAllValue(List.of(1L, -1L, 1L << 40));
    return Example.newBuilder()
        .setFeatures(
            Features.newBuilder().putFeature("n", Feature.newBuilder().setInt64List(list).build()))
        .build();
  }

  @ParameterizedTest
  @MethodSource("messages")
  void soundMessagesAreReadWhole(Message message) {
    assertThat(read(message, Body.of(message.toByteArray()))).isEqualTo(message);
  }

  @ParameterizedTest
  @MethodSource("messages")
  void damagedMessagesAreReadOrRefusedAsTheGeneratedParserDoes(Message sound) {
    byte[] bytes = sound.toByteArray();
    var mutations = new Mutations(bytes.length);
    int refused = 0;
    for (int i = 0; i < DAMAGED; i++) {
      byte[] damaged = mutations.damage(bytes);
      if (hasEndlessNumber(damaged)) {
        continue;
      }
      Message wanted = parsed(sound, damaged);
      assertThat(read(sound, Body.of(damaged))).as(() -> hex(damaged)).isEqualTo(wanted);
      if (i % 10 == 0) {
        assertThat(readNative(sound, damaged)).as(() -> hex(damaged)).isEqualTo(wanted);
      }
      refused += wanted == null ? 1 : 0;
    }
    assertThat(refused).isBetween(DAMAGED / 20, DAMAGED * 19 / 20);
  }

  @Test
  void anyBytesAreFieldsOrRefusedAsTheParserOfUnknownFieldsDoes() {
    var random = new Random(18);
    int accepted = 0;
    for (int i = 0; i < RANDOM; i++) {
      byte[] bytes = new byte[random.nextInt(24)];
      random.nextBytes(bytes);
      for (int at = 0; at < bytes.length; at++) {
        // Small tags and lengths, so that more than the first field is looked at.
        bytes[at] = random.nextInt(3) == 0 ? bytes[at] : (byte) (bytes[at] & 0x0F);
      }
      @Nullable UnknownFieldSet wanted = unknown(bytes);
      assertThat(fields(Body.of(bytes))).as(() -> hex(bytes)).isEqualTo(wanted);
      accepted += wanted == null ? 0 : 1;
    }
    assertThat(accepted).isGreaterThan(RANDOM / 100);
  }

  /**
   * Whether a number may have more than ten bytes: it is refused here, as in C++, while Java's
   * parser takes the tenth for the last if there are enough behind it.
   */
  private static boolean hasEndlessNumber(byte[] bytes) {
    int run = 0;
    for (byte each : bytes) {
      run = each < 0 ? run + 1 : 0;
      if (run == 10) {
        return true;
      }
    }
    return false;
  }

  private static String hex(byte[] bytes) {
    return java.util.HexFormat.of().formatHex(bytes);
  }

  private static @Nullable Message parsed(Message type, byte[] bytes) {
    try {
      return DiscardUnknownFieldsParser.wrap(type.getParserForType()).parseFrom(bytes);
    } catch (InvalidProtocolBufferException e) {
      return null;
    }
  }

  private static @Nullable Message readNative(Message type, byte[] bytes) {
    try (Body body = NativeBodies.body(bytes, 0)) {
      return read(type, body);
    }
  }

  /** The message as this reader and the type's descriptor make it; null if it refuses. */
  private static @Nullable Message read(Message type, Body body) {
    try {
      Message.Builder message = type.newBuilderForType();
      merge(new ProtobufReader(body), message);
      return message.build();
    } catch (ProtobufException e) {
      return null;
    }
  }

  private static void merge(ProtobufReader in, Message.Builder message) {
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      @Nullable FieldDescriptor field =
          message.getDescriptorForType().findFieldByNumber(ProtobufTag.field(tag));
      if (field == null) {
        in.skip(tag);
      } else if (ProtobufTag.form(tag) == field.getLiteType().getWireType()) {
        put(value(in, field, message), field, message);
      } else if (field.isPackable() && ProtobufTag.form(tag) == ProtobufTag.DELIMITED) {
        long outer = in.enter();
        while (!in.atEnd()) {
          put(value(in, field, message), field, message);
        }
        in.leave(outer);
      } else {
        in.skip(tag);
      }
    }
  }

  private static void put(Object value, FieldDescriptor field, Message.Builder message) {
    if (field.isRepeated()) {
      message.addRepeatedField(field, value);
    } else {
      message.setField(field, value);
    }
  }

  private static Object value(ProtobufReader in, FieldDescriptor field, Message.Builder around) {
    return switch (field.getType()) {
      case BOOL -> in.varint() != 0;
      case INT32, UINT32 -> in.varint32();
      case INT64, UINT64 -> in.varint();
      case ENUM -> field.getEnumType().findValueByNumberCreatingIfUnknown(in.varint32());
      case FLOAT -> Float.intBitsToFloat(in.fixed32());
      case DOUBLE -> Double.longBitsToDouble(in.fixed64());
      case STRING -> in.text();
      case BYTES -> ByteString.copyFrom(in.bytes().segment().asByteBuffer());
      case MESSAGE -> {
        Message.Builder nested = around.newBuilderForField(field);
        if (!field.isRepeated()) {
          nested.mergeFrom((Message) around.getField(field));
        }
        long outer = in.enter();
        merge(in, nested);
        in.leave(outer);
        yield nested.build();
      }
      default -> throw new IllegalStateException(field.getType() + " is in no contract");
    };
  }

  /** The fields of bytes, but of groups only their numbers; null if they are refused. */
  private static @Nullable UnknownFieldSet unknown(byte[] bytes) {
    try {
      var parsed = UnknownFieldSet.parseFrom(bytes);
      var result = UnknownFieldSet.newBuilder();
      parsed
          .asMap()
          .forEach((number, field) -> {
            var copy = UnknownFieldSet.Field.newBuilder();
            field.getVarintList().forEach(copy::addVarint);
            field.getFixed32List().forEach(copy::addFixed32);
            field.getFixed64List().forEach(copy::addFixed64);
            field.getLengthDelimitedList().forEach(copy::addLengthDelimited);
            field.getGroupList().forEach(_ -> copy.addGroup(UnknownFieldSet.getDefaultInstance()));
            result.mergeField(number, copy.build());
          });
      return result.build();
    } catch (InvalidProtocolBufferException e) {
      return null;
    }
  }

  private static @Nullable UnknownFieldSet fields(Body body) {
    try {
      var result = UnknownFieldSet.newBuilder();
      var in = new ProtobufReader(body);
      for (int tag = in.tag(); tag != 0; tag = in.tag()) {
        var field = UnknownFieldSet.Field.newBuilder();
        switch (ProtobufTag.form(tag)) {
          case ProtobufTag.VARINT -> field.addVarint(in.varint());
          case ProtobufTag.FIXED32 -> field.addFixed32(in.fixed32());
          case ProtobufTag.FIXED64 -> field.addFixed64(in.fixed64());
          case ProtobufTag.DELIMITED ->
              field.addLengthDelimited(ByteString.copyFrom(in.bytes().segment().asByteBuffer()));
          default -> {
            in.skip(tag);
            field.addGroup(UnknownFieldSet.getDefaultInstance());
          }
        }
        result.mergeField(ProtobufTag.field(tag), field.build());
      }
      return result.build();
    } catch (ProtobufException e) {
      return null;
    }
  }
}
