package dev.sluice.protocol.tfs.grpc.wire;

import static dev.sluice.protocol.codec.protobuf.ProtobufTag.DELIMITED;
import static dev.sluice.protocol.codec.protobuf.ProtobufTag.FIXED32;
import static dev.sluice.protocol.codec.protobuf.ProtobufTag.FIXED64;
import static dev.sluice.protocol.codec.protobuf.ProtobufTag.VARINT;

import dev.sluice.protocol.codec.protobuf.ProtobufTag;
import dev.sluice.protocol.tfs.grpc.proto.TensorProto;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The lists of values that a TensorProto has, one of which belongs to its type. */
enum ValuesField {
  FLOAT(TensorProto.FLOAT_VAL_FIELD_NUMBER, FIXED32),
  DOUBLE(TensorProto.DOUBLE_VAL_FIELD_NUMBER, FIXED64),
  INT(TensorProto.INT_VAL_FIELD_NUMBER, VARINT),
  STRING(TensorProto.STRING_VAL_FIELD_NUMBER, DELIMITED),
  SCOMPLEX(TensorProto.SCOMPLEX_VAL_FIELD_NUMBER, FIXED32),
  INT64(TensorProto.INT64_VAL_FIELD_NUMBER, VARINT),
  BOOL(TensorProto.BOOL_VAL_FIELD_NUMBER, VARINT),
  DCOMPLEX(TensorProto.DCOMPLEX_VAL_FIELD_NUMBER, FIXED64),
  HALF(TensorProto.HALF_VAL_FIELD_NUMBER, VARINT),
  UINT32(TensorProto.UINT32_VAL_FIELD_NUMBER, VARINT),
  UINT64(TensorProto.UINT64_VAL_FIELD_NUMBER, VARINT),
  FLOAT8(TensorProto.FLOAT8_VAL_FIELD_NUMBER, DELIMITED);

  private static final @Nullable ValuesField[] BY_NUMBER = new @Nullable ValuesField[19];

  static {
    for (ValuesField field : values()) {
      BY_NUMBER[field.number] = field;
    }
  }

  private final int number;
  private final int wireType;

  ValuesField(int number, int wireType) {
    this.number = number;
    this.wireType = wireType;
  }

  /** Returns the list that a tag opens, packed or one value of it; null if it opens none. */
  static @Nullable ValuesField of(int tag) {
    int number = ProtobufTag.field(tag);
    ValuesField field = number < BY_NUMBER.length ? BY_NUMBER[number] : null;
    return field != null && field.takes(ProtobufTag.form(tag)) ? field : null;
  }

  int number() {
    return number;
  }

  /** Returns how many values make up one element: a complex number has two. */
  int valuesPerElement() {
    return this == SCOMPLEX || this == DCOMPLEX ? 2 : 1;
  }

  /** Returns whether its values take as many bytes on the wire as in memory. */
  boolean isFixedWidth() {
    return wireType == FIXED32 || wireType == FIXED64;
  }

  /** Returns the tag of one value by itself. */
  int unpackedTag() {
    return number << 3 | wireType;
  }

  /** Returns the tag of many values behind each other; for strings the same as of one. */
  int packedTag() {
    return number << 3 | DELIMITED;
  }

  /** Returns a bit for sets of fields. */
  int bit() {
    return 1 << number;
  }

  /** Returns the field with the lowest number in a set that is not empty. */
  static ValuesField lowest(int bits) {
    return Objects.requireNonNull(BY_NUMBER[Integer.numberOfTrailingZeros(bits)]);
  }

  /** Returns the field's name in the contract. */
  String text() {
    return TensorProto.getDescriptor().findFieldByNumber(number).getName();
  }

  private boolean takes(int found) {
    return found == wireType || found == DELIMITED;
  }
}
