package dev.sluice.protocol.tfs.grpc.wire;

import static dev.sluice.protocol.codec.protobuf.ProtobufWriter.fieldSize;
import static dev.sluice.protocol.codec.protobuf.ProtobufWriter.varintSize;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import dev.sluice.protocol.codec.protobuf.ProtobufWriter;
import dev.sluice.tensor.BytesElements;
import dev.sluice.tensor.Tensor;
import java.lang.foreign.MemorySegment;

/** The values of an output as a list of its type, every one written out. Borrows the tensor. */
final class EncodedValues implements EncodedData {
  private final Tensor tensor;
  private final WireType type;
  private final long count;

  /** Bytes behind the tag and the length; unused for strings, which have a tag each. */
  private final long payload;

  EncodedValues(Tensor tensor) {
    this.tensor = tensor;
    this.type = WireType.of(tensor.type());
    this.count = tensor.elementCount();
    this.payload = type == WireType.STRING ? 0 : payloadSize();
  }

  @Override
  public long size() {
    if (type == WireType.STRING) {
      return stringsSize();
    }
    return payload == 0 ? 0 : fieldSize(type.field().number(), payload);
  }

  @Override
  public void write(ProtobufWriter out) {
    if (type == WireType.STRING) {
      writeStrings(out);
    } else if (payload > 0) {
      out.begin(type.field().number(), payload);
      writePayload(out);
    }
  }

  private long stringsSize() {
    long size = 0;
    var elements = new BytesElements(tensor);
    while (elements.next()) {
      size += fieldSize(type.field().number(), elements.length());
    }
    return size;
  }

  private void writeStrings(ProtobufWriter out) {
    var elements = new BytesElements(tensor);
    while (elements.next()) {
      out.bytes(type.field().number(), elements.data(), elements.offset(), elements.length());
    }
  }

  private long payloadSize() {
    return switch (type) {
      case FLOAT, DOUBLE, BOOL, COMPLEX64, COMPLEX128 -> tensor.byteSize();
      default -> {
        long size = 0;
        for (long i = 0; i < count; i++) {
          size += varintSize(value(i));
        }
        yield size;
      }
    };
  }

  private void writePayload(ProtobufWriter out) {
    switch (type) {
      case FLOAT, DOUBLE, BOOL, COMPLEX64, COMPLEX128 ->
          out.raw(tensor.data(), 0, Math.toIntExact(tensor.byteSize()));
      default -> {
        for (long i = 0; i < count; i++) {
          out.varint(value(i));
        }
      }
    }
  }

  /** Returns an element as the varint that stands for it: negative numbers have all 64 bits. */
  private long value(long index) {
    MemorySegment data = tensor.data();
    return switch (type) {
      case INT8, QINT8 -> data.get(JAVA_BYTE, index);
      case UINT8, QUINT8 -> Byte.toUnsignedLong(data.get(JAVA_BYTE, index));
      case INT16, QINT16 -> data.getAtIndex(JAVA_SHORT, index);
      case UINT16, QUINT16, HALF, BFLOAT16 ->
          Short.toUnsignedLong(data.getAtIndex(JAVA_SHORT, index));
      case INT32, QINT32 -> data.getAtIndex(JAVA_INT, index);
      case UINT32 -> Integer.toUnsignedLong(data.getAtIndex(JAVA_INT, index));
      case INT64, UINT64 -> data.getAtIndex(JAVA_LONG, index);
      case FLOAT, DOUBLE, BOOL, COMPLEX64, COMPLEX128, STRING ->
          throw new IllegalStateException(type + " values are no varints");
    };
  }
}
