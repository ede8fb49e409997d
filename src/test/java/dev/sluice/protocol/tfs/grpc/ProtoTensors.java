package dev.sluice.protocol.tfs.grpc;

import com.google.protobuf.ByteString;
import dev.sluice.protocol.tfs.grpc.proto.TensorProto;
import dev.sluice.protocol.tfs.grpc.proto.TensorShapeProto;
import dev.sluice.protocol.tfs.grpc.wire.WireType;
import dev.sluice.tensor.Shape;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;

/** TensorProtos made with the generated classes, from the bytes that they should have in memory. */
public final class ProtoTensors {
  private ProtoTensors() {}

  public static TensorProto.Builder header(WireType type, long... dims) {
    return TensorProto.newBuilder().setDtypeValue(type.number()).setTensorShape(shape(dims));
  }

  public static TensorShapeProto shape(long... dims) {
    var shape = TensorShapeProto.newBuilder();
    for (long dim : dims) {
      shape.addDimBuilder().setSize(dim);
    }
    return shape.build();
  }

  /** Memory of a tensor of numbers: anything a type can hold. */
  public static byte[] randomNumbers(WireType type, Shape shape, Random random) {
    var bytes = new byte[Math.toIntExact(shape.elementCount() * type.type().byteSize())];
    random.nextBytes(bytes);
    if (type == WireType.BOOL) {
      for (int i = 0; i < bytes.length; i++) {
        bytes[i] &= 1;
      }
    }
    return bytes;
  }

  /** Adds the numbers that memory holds to the list of the type. */
  public static void addNumbers(TensorProto.Builder proto, WireType type, byte[] memory) {
    ByteBuffer values = ByteBuffer.wrap(memory).order(ByteOrder.LITTLE_ENDIAN);
    while (values.hasRemaining()) {
      switch (type) {
        case FLOAT -> proto.addFloatVal(values.getFloat());
        case DOUBLE -> proto.addDoubleVal(values.getDouble());
        case INT32, QINT32 -> proto.addIntVal(values.getInt());
        case UINT8, QUINT8 -> proto.addIntVal(Byte.toUnsignedInt(values.get()));
        case INT16, QINT16 -> proto.addIntVal(values.getShort());
        case INT8, QINT8 -> proto.addIntVal(values.get());
        case UINT16, QUINT16 -> proto.addIntVal(Short.toUnsignedInt(values.getShort()));
        case INT64 -> proto.addInt64Val(values.getLong());
        case BOOL -> proto.addBoolVal(values.get() != 0);
        case HALF, BFLOAT16 -> proto.addHalfVal(Short.toUnsignedInt(values.getShort()));
        case UINT32 -> proto.addUint32Val(values.getInt());
        case UINT64 -> proto.addUint64Val(values.getLong());
        case COMPLEX64 -> proto.addScomplexVal(values.getFloat());
        case COMPLEX128 -> proto.addDcomplexVal(values.getDouble());
        case STRING -> throw new IllegalArgumentException("strings are no numbers");
      }
    }
  }

  public static byte[][] randomStrings(int count, Random random) {
    var strings = new byte[count][];
    for (int i = 0; i < count; i++) {
      strings[i] = new byte[random.nextInt(3) == 0 ? 0 : random.nextInt(300)];
      random.nextBytes(strings[i]);
    }
    return strings;
  }

  public static void addStrings(TensorProto.Builder proto, byte[][] strings) {
    for (byte[] string : strings) {
      proto.addStringVal(ByteString.copyFrom(string));
    }
  }
}
