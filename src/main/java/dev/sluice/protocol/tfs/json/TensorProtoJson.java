package dev.sluice.protocol.tfs.json;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.codec.JsonWriter;
import dev.sluice.protocol.codec.protobuf.ProtobufException;
import dev.sluice.protocol.codec.protobuf.ProtobufReader;
import dev.sluice.protocol.codec.protobuf.ProtobufTag;
import dev.sluice.protocol.tfs.grpc.proto.TensorProto;
import dev.sluice.protocol.tfs.grpc.proto.TensorShapeProto;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Writes a serialized TensorProto in protobuf's JSON form, with the fields that have no value, as
 * TensorFlow Serving writes the defaults of a signature. Handles and variants are left out: they
 * are no values. One thread.
 */
public final class TensorProtoJson {
  private static final int SHAPE = TensorProto.TENSOR_SHAPE_FIELD_NUMBER;
  private static final String SHAPE_BEGIN = ",\"tensor_shape\":{\"dim\":[";
  private static final int DIM = TensorShapeProto.DIM_FIELD_NUMBER;
  private static final int UNKNOWN_RANK = TensorShapeProto.UNKNOWN_RANK_FIELD_NUMBER;

  private enum Form {
    INT(ProtobufTag.VARINT),
    /** A text in JSON, as every number of 64 bits. */
    LONG(ProtobufTag.VARINT),
    UNSIGNED_LONG(ProtobufTag.VARINT),
    BOOL(ProtobufTag.VARINT),
    FLOAT(ProtobufTag.FIXED32),
    DOUBLE(ProtobufTag.FIXED64),
    BYTES(ProtobufTag.DELIMITED);

    private final int wire;

    Form(int wire) {
      this.wire = wire;
    }
  }

  private record Field(int number, String name, Form form, boolean list) {
    int tag() {
      return number << 3 | form.wire;
    }
  }

  private static final List<Field> FIELDS =
      List.of(
          new Field(3, "version_number", Form.INT, false),
          new Field(4, "tensor_content", Form.BYTES, false),
          new Field(13, "half_val", Form.INT, true),
          new Field(5, "float_val", Form.FLOAT, true),
          new Field(6, "double_val", Form.DOUBLE, true),
          new Field(7, "int_val", Form.INT, true),
          new Field(8, "string_val", Form.BYTES, true),
          new Field(9, "scomplex_val", Form.FLOAT, true),
          new Field(10, "int64_val", Form.LONG, true),
          new Field(11, "bool_val", Form.BOOL, true),
          new Field(12, "dcomplex_val", Form.DOUBLE, true),
          new Field(14, "resource_handle_val", Form.BYTES, true),
          new Field(15, "variant_val", Form.BYTES, true),
          new Field(16, "uint32_val", Form.LONG, true),
          new Field(17, "uint64_val", Form.UNSIGNED_LONG, true));

  private final MemorySegment data;
  private final ProtobufReader cursor;
  private final JsonWriter out;
  private boolean first;

  private TensorProtoJson(ByteBuffer proto, JsonWriter out) {
    this.data = MemorySegment.ofBuffer(proto);
    this.cursor = new ProtobufReader(data);
    this.out = out;
  }

  /**
   * Writes an object.
   *
   * @param dtype the name of its type, as {@code DT_FLOAT}
   */
  public static void write(ByteBuffer proto, String dtype, JsonWriter out) {
    out.raw('{').key("dtype").string(dtype);
    var json = new TensorProtoJson(proto, out);
    try {
      json.shapes();
      FIELDS.forEach(json::field);
    } catch (ProtobufException e) {
      throw InferenceException.invalid("the model's TensorProto is damaged: " + e.getMessage());
    }
    out.raw('}');
  }

  /** Goes through the message for one field: the cursor stands before each of its values. */
  private void each(int number, int wire, Runnable found) {
    for (int tag = begin(); tag != 0; tag = cursor.tag()) {
      if (tag == (number << 3 | wire)) {
        found.run();
      } else {
        cursor.skip(tag);
      }
    }
  }

  private int begin() {
    cursor.seek(0, data.byteSize());
    return cursor.tag();
  }

  /** Writes the dimensions of a shape; of several, all: protobuf joins them. */
  private void shapes() {
    boolean[] seen = new boolean[2];
    first = true;
    each(
        SHAPE,
        ProtobufTag.DELIMITED,
        () -> {
          out.raw(seen[0] ? "" : SHAPE_BEGIN);
          seen[0] = true;
          seen[1] |= isUnknownRank();
        });
    if (seen[0]) {
      out.raw("],\"unknown_rank\":").bool(seen[1]).raw('}');
    }
  }

  /** Writes the dimensions of one, and returns whether their number is unknown. */
  private boolean isUnknownRank() {
    long outer = cursor.enter();
    boolean unknown = false;
    for (int tag = cursor.tag(); tag != 0; tag = cursor.tag()) {
      if (tag == ProtobufTag.delimited(DIM)) {
        dim();
      } else if (tag == UNKNOWN_RANK << 3) {
        unknown = cursor.varint() != 0;
      } else {
        cursor.skip(tag);
      }
    }
    cursor.leave(outer);
    return unknown;
  }

  private void dim() {
    comma();
    long size = 0;
    long outer = cursor.enter();
    for (int tag = cursor.tag(); tag != 0; tag = cursor.tag()) {
      if (tag == TensorShapeProto.Dim.SIZE_FIELD_NUMBER << 3) {
        size = cursor.varint();
      } else {
        cursor.skip(tag);
      }
    }
    cursor.leave(outer);
    out.raw("{\"size\":\"").number(size).raw("\",\"name\":\"\"}");
  }

  private void field(Field field) {
    out.raw(',').key(field.name());
    if (field.list()) {
      list(field);
    } else {
      single(field);
    }
  }

  private void list(Field field) {
    out.raw('[');
    first = true;
    for (int tag = begin(); tag != 0; tag = cursor.tag()) {
      if (tag == field.tag()) {
        value(field.form());
      } else if (tag == ProtobufTag.delimited(field.number())) {
        packed(field.form());
      } else {
        cursor.skip(tag);
      }
    }
    out.raw(']');
  }

  private void packed(Form form) {
    long outer = cursor.enter();
    while (!cursor.atEnd()) {
      value(form);
    }
    cursor.leave(outer);
  }

  /** Of a field that comes several times the last one counts. */
  private void single(Field field) {
    long[] last = {-1};
    each(
        field.number(),
        field.form().wire,
        () -> {
          last[0] = cursor.position();
          cursor.skip(field.tag());
        });
    if (last[0] < 0) {
      out.raw(field.form() == Form.INT ? "0" : "\"\"");
      return;
    }
    cursor.seek(last[0], data.byteSize());
    first = true;
    value(field.form());
  }

  private void value(Form form) {
    comma();
    switch (form) {
      case INT -> out.number(cursor.varint());
      case LONG -> out.raw('"').number(cursor.varint()).raw('"');
      case UNSIGNED_LONG -> out.raw('"').unsigned(cursor.varint()).raw('"');
      case BOOL -> out.bool(cursor.varint() != 0);
      case FLOAT -> out.number(Float.intBitsToFloat(cursor.fixed32()));
      case DOUBLE -> out.number(Double.longBitsToDouble(cursor.fixed64()));
      case BYTES -> bytes();
    }
  }

  private void bytes() {
    int length = cursor.length();
    byte[] bytes = data.asSlice(cursor.position(), length).toArray(JAVA_BYTE);
    cursor.pass(length);
    out.base64(bytes);
  }

  private void comma() {
    if (!first) {
      out.raw(',');
    }
    first = false;
  }
}
