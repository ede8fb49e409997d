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
  private static final int DIM = TensorShapeProto.DIM_FIELD_NUMBER;
  private static final int UNKNOWN_RANK = TensorShapeProto.UNKNOWN_RANK_FIELD_NUMBER;

  private enum Form {
    INT,
    /** A text in JSON, as every number of 64 bits. */
    LONG,
    UNSIGNED_LONG,
    BOOL,
    FLOAT,
    DOUBLE,
    BYTES
  }

  private record Field(int number, String name, Form form, boolean list) {}

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
      json.each(SHAPE, _ -> json.shape());
      FIELDS.forEach(json::field);
    } catch (ProtobufException e) {
      throw InferenceException.invalid("the model's TensorProto is damaged: " + e.getMessage());
    }
    out.raw('}');
  }

  private interface Found {
    /** Reads a value that the cursor stands before. */
    void read(int tag);
  }

  /** Goes through the message for one field. */
  private void each(int number, Found found) {
    cursor.seek(0, data.byteSize());
    for (int tag = cursor.tag(); tag != 0; tag = cursor.tag()) {
      if (ProtobufTag.field(tag) == number) {
        found.read(tag);
      } else {
        cursor.skip(tag);
      }
    }
  }

  private void shape() {
    out.raw(',').key("tensor_shape").raw("{\"dim\":[");
    long outer = cursor.enter();
    boolean unknown = false;
    first = true;
    for (int tag = cursor.tag(); tag != 0; tag = cursor.tag()) {
      switch (ProtobufTag.field(tag)) {
        case DIM -> dim();
        case UNKNOWN_RANK -> unknown = cursor.varint() != 0;
        default -> cursor.skip(tag);
      }
    }
    cursor.leave(outer);
    out.raw("],\"unknown_rank\":").bool(unknown).raw('}');
  }

  private void dim() {
    comma();
    long size = 0;
    long outer = cursor.enter();
    for (int tag = cursor.tag(); tag != 0; tag = cursor.tag()) {
      if (ProtobufTag.field(tag) == TensorShapeProto.Dim.SIZE_FIELD_NUMBER) {
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
      out.raw('[');
    }
    first = true;
    each(field.number(), tag -> values(field, tag));
    if (field.list()) {
      out.raw(']');
    } else if (first) {
      out.raw(field.form() == Form.INT ? "0" : "\"\"");
    }
  }

  private void values(Field field, int tag) {
    boolean packed = ProtobufTag.form(tag) == ProtobufTag.DELIMITED && field.form() != Form.BYTES;
    if (!packed) {
      value(field.form());
      return;
    }
    long outer = cursor.enter();
    while (!cursor.atEnd()) {
      value(field.form());
    }
    cursor.leave(outer);
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
