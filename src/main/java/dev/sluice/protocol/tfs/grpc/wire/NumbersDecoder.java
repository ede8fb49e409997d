package dev.sluice.protocol.tfs.grpc.wire;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.codec.protobuf.ProtobufException;
import dev.sluice.protocol.codec.protobuf.ProtobufReader;
import dev.sluice.tensor.Tensor;
import dev.sluice.transport.Body;
import java.lang.foreign.MemorySegment;

/**
 * Fills a tensor of numbers from the list of values that belongs to its type, in one piece or
 * several, packed or not. Values beyond the last element are ignored; the last value is repeated
 * for elements that have none; without any value all are 0.
 */
final class NumbersDecoder {
  private final EncodedTensor from;
  private final ValuesField field;
  private final MemorySegment into;

  /** Bytes of one value in memory: an element, or a part of a complex number. */
  private final int size;

  /** Number of values that the tensor takes. */
  private final long wanted;

  private long done;

  /**
   * A decoder of one tensor.
   *
   * @param into borrowed; as large as the shape says
   */
  NumbersDecoder(EncodedTensor from, Tensor into) {
    this.from = from;
    this.field = from.type().field();
    this.into = into.data();
    this.size = from.type().type().byteSize() / field.valuesPerElement();
    this.wanted = into.elementCount() * field.valuesPerElement();
  }

  void decode() {
    var reader = new ProtobufReader(from.proto());
    for (int tag = reader.tag(); tag != 0; tag = reader.tag()) {
      if (done == wanted) {
        return;
      }
      if (tag == field.packedTag()) {
        putPacked(reader);
      } else if (tag == field.unpackedTag()) {
        put(reader);
      } else {
        reader.skip(tag);
      }
    }
    fill();
  }

  private void requireWholeElements() {
    if (done % field.valuesPerElement() != 0) {
      throw new ProtobufException(
          field.text() + " has " + done + " values, wanted two for each element");
    }
  }

  private void putPacked(ProtobufReader reader) {
    if (field.isFixedWidth()) {
      copy(reader.bytes());
      return;
    }
    long outer = reader.enter();
    while (done < wanted && !reader.atEnd()) {
      put(reader);
    }
    reader.leave(outer);
  }

  /** Values of a fixed width lie on the wire as they do in memory. */
  private void copy(Body values) {
    if (values.length() % size != 0) {
      throw new ProtobufException(
          field.text() + " has " + values.length() + " bytes, wanted a multiple of " + size);
    }
    int count = (int) Math.min(values.length() / size, wanted - done);
    MemorySegment.copy(values.segment(), 0, into, done * size, (long) count * size);
    done += count;
  }

  private void put(ProtobufReader values) {
    switch (from.type()) {
      case FLOAT, COMPLEX64 -> putInt(values.fixed32());
      case DOUBLE, COMPLEX128 -> putLong(values.fixed64());
      case INT32, QINT32 -> putInt(values.varint32());
      case UINT32 -> putInt(values.varint32());
      case INT64, UINT64 -> putLong(values.varint());
      case BOOL -> putByte(values.varint() == 0 ? 0 : 1);
      case INT8, QINT8 -> putByte(within(values.varint32(), Byte.MIN_VALUE, Byte.MAX_VALUE));
      case UINT8, QUINT8 -> putByte(within(values.varint32(), 0, 0xFF));
      case INT16, QINT16 -> putShort(within(values.varint32(), Short.MIN_VALUE, Short.MAX_VALUE));
      case UINT16, QUINT16 -> putShort(within(values.varint32(), 0, 0xFFFF));
      case HALF, BFLOAT16 -> putShort(within(values.varint32(), Short.MIN_VALUE, 0xFFFF));
      case STRING -> throw new IllegalStateException("strings are no numbers");
    }
  }

  private int within(int value, int least, int most) {
    if (value < least || value > most) {
      throw InferenceException.invalid(
          "input \"%s\" has %d at element %d of %s, wanted %d to %d for %s"
              .formatted(from.name(), value, done, field.text(), least, most, from.type().text()));
    }
    return value;
  }

  private void putByte(int value) {
    into.set(JAVA_BYTE, done++, (byte) value);
  }

  private void putShort(int value) {
    into.setAtIndex(JAVA_SHORT, done++, (short) value);
  }

  private void putInt(int value) {
    into.setAtIndex(JAVA_INT, done++, value);
  }

  private void putLong(long value) {
    into.setAtIndex(JAVA_LONG, done++, value);
  }

  private void fill() {
    if (done == 0) {
      into.fill((byte) 0);
      return;
    }
    requireWholeElements();
    long start = (done - field.valuesPerElement()) * size;
    long end = done * size;
    while (end < into.byteSize()) {
      long more = Math.min(end - start, into.byteSize() - end);
      MemorySegment.copy(into, start, into, end, more);
      end += more;
    }
  }
}
