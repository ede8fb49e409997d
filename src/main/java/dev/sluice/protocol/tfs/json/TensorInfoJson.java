package dev.sluice.protocol.tfs.json;

import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.codec.JsonWriter;
import dev.sluice.protocol.codec.protobuf.ProtobufException;
import dev.sluice.protocol.codec.protobuf.ProtobufReader;
import dev.sluice.protocol.codec.protobuf.ProtobufTag;
import dev.sluice.protocol.tfs.TensorflowTypes;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Writes a serialized TensorInfo in protobuf's JSON form, with the fields that have no value, as
 * TensorFlow Serving writes inputs and outputs that are several tensors. One thread.
 */
public final class TensorInfoJson {
  private enum Form {
    TEXT,
    INT,
    /** A text in JSON, as every number of 64 bits. */
    LONG,
    ZIGZAG_LONG,
    BOOL,
    DOUBLE,
    TYPE,
    TYPE_CLASS,
    MESSAGE
  }

  private enum Presence {
    /** Written with the value that it has if it is not there. */
    ALWAYS,
    /** Written if it is there. */
    IF_SET,
    LIST,
    MAP
  }

  private enum Message {
    TENSOR_INFO,
    COO_SPARSE,
    COMPOSITE_TENSOR,
    SHAPE,
    DIM,
    TYPE_SPEC,
    STRUCTURED_VALUE,
    EMPTY,
    TENSOR_SPEC,
    VALUES,
    FIELDS,
    NAMED_TUPLE,
    PAIR
  }

  private record Field(int number, String name, Form form, Presence presence, Message message) {
    Field(int number, String name, Form form, Presence presence) {
      this(number, name, form, presence, Message.EMPTY);
    }

    static Field always(int number, String name, Form form) {
      return new Field(number, name, form, Presence.ALWAYS);
    }

    static Field ifSet(int number, String name, Form form) {
      return new Field(number, name, form, Presence.IF_SET);
    }

    static Field message(int number, String name, Message message) {
      return new Field(number, name, Form.MESSAGE, Presence.IF_SET, message);
    }

    static Field list(int number, String name, Message message) {
      return new Field(number, name, Form.MESSAGE, Presence.LIST, message);
    }
  }

  private static final List<Field> TENSOR =
      List.of(
          Field.always(1, "name", Form.TEXT),
          Field.message(2, "shape", Message.SHAPE),
          Field.always(3, "dtype", Form.TYPE));

  private final MemorySegment data;
  private final JsonWriter out;

  private TensorInfoJson(ByteBuffer message, JsonWriter out) {
    this.data = MemorySegment.ofBuffer(message);
    this.out = out;
  }

  /** Writes an object. The buffer is read from its position on. */
  public static void write(ByteBuffer message, JsonWriter out) {
    var json = new TensorInfoJson(message, out);
    try {
      json.message(Message.TENSOR_INFO, 0, json.data.byteSize());
    } catch (ProtobufException e) {
      throw InferenceException.invalid("the model's TensorInfo is damaged: " + e.getMessage());
    }
  }

  private static List<Field> fields(Message message) {
    return switch (message) {
      case TENSOR_INFO ->
          List.of(
              Field.always(2, "dtype", Form.TYPE),
              Field.message(3, "tensor_shape", Message.SHAPE),
              Field.ifSet(1, "name", Form.TEXT),
              Field.message(4, "coo_sparse", Message.COO_SPARSE),
              Field.message(5, "composite_tensor", Message.COMPOSITE_TENSOR));
      case COO_SPARSE ->
          List.of(
              Field.always(1, "values_tensor_name", Form.TEXT),
              Field.always(2, "indices_tensor_name", Form.TEXT),
              Field.always(3, "dense_shape_tensor_name", Form.TEXT));
      case COMPOSITE_TENSOR ->
          List.of(
              Field.message(1, "type_spec", Message.TYPE_SPEC),
              Field.list(2, "components", Message.TENSOR_INFO));
      case SHAPE ->
          List.of(Field.list(2, "dim", Message.DIM), Field.always(3, "unknown_rank", Form.BOOL));
      case DIM -> List.of(Field.always(1, "size", Form.LONG), Field.always(2, "name", Form.TEXT));
      case TYPE_SPEC ->
          List.of(
              Field.always(1, "type_spec_class", Form.TYPE_CLASS),
              Field.message(2, "type_state", Message.STRUCTURED_VALUE),
              Field.always(3, "type_spec_class_name", Form.TEXT),
              Field.always(4, "num_flat_components", Form.INT));
      case STRUCTURED_VALUE ->
          List.of(
              Field.message(1, "none_value", Message.EMPTY),
              Field.ifSet(11, "float64_value", Form.DOUBLE),
              Field.ifSet(12, "int64_value", Form.ZIGZAG_LONG),
              Field.ifSet(13, "string_value", Form.TEXT),
              Field.ifSet(14, "bool_value", Form.BOOL),
              Field.message(31, "tensor_shape_value", Message.SHAPE),
              Field.ifSet(32, "tensor_dtype_value", Form.TYPE),
              Field.message(33, "tensor_spec_value", Message.TENSOR_SPEC),
              Field.message(34, "type_spec_value", Message.TYPE_SPEC),
              Field.message(35, "bounded_tensor_spec_value", Message.TENSOR_SPEC),
              Field.message(51, "list_value", Message.VALUES),
              Field.message(52, "tuple_value", Message.VALUES),
              Field.message(53, "dict_value", Message.FIELDS),
              Field.message(54, "named_tuple_value", Message.NAMED_TUPLE));
      case EMPTY -> List.of();
      case TENSOR_SPEC -> TENSOR;
      case VALUES -> List.of(Field.list(1, "values", Message.STRUCTURED_VALUE));
      case FIELDS ->
          List.of(new Field(1, "fields", Form.MESSAGE, Presence.MAP, Message.STRUCTURED_VALUE));
      case NAMED_TUPLE ->
          List.of(Field.always(1, "name", Form.TEXT), Field.list(2, "values", Message.PAIR));
      case PAIR ->
          List.of(
              Field.always(1, "key", Form.TEXT),
              Field.message(2, "value", Message.STRUCTURED_VALUE));
    };
  }

  private interface Found {
    /** Reads a value that the cursor stands before, and stands behind it then. */
    void read(ProtobufReader cursor);
  }

  /** Goes through a message for one field; returns how often it is there. */
  private int each(int number, long from, long to, Found found) {
    var cursor = new ProtobufReader(data);
    cursor.seek(from, to);
    int count = 0;
    for (int tag = cursor.tag(); tag != 0; tag = cursor.tag()) {
      if (ProtobufTag.field(tag) == number) {
        found.read(cursor);
        count++;
      } else {
        cursor.skip(tag);
      }
    }
    return count;
  }

  private void message(Message message, long from, long to) {
    out.raw('{');
    boolean first = true;
    for (Field field : fields(message)) {
      int count = each(field.number(), from, to, cursor -> pass(field, cursor));
      if (count > 0 || field.presence() != Presence.IF_SET) {
        if (!first) {
          out.raw(',');
        }
        first = false;
        out.key(field.name());
        field(field, from, to, count);
      }
    }
    out.raw('}');
  }

  private static void pass(Field field, ProtobufReader cursor) {
    switch (field.form()) {
      case TEXT, MESSAGE -> cursor.pass(cursor.length());
      case DOUBLE -> cursor.pass(Double.BYTES);
      default -> cursor.varint();
    }
  }

  private void field(Field field, long from, long to, int count) {
    switch (field.presence()) {
      case LIST -> list(field, from, to, '[', ']');
      case MAP -> list(field, from, to, '{', '}');
      default -> {
        if (count == 0) {
          missing(field.form());
        }
        // The last one counts.
        var left = new int[] {count};
        each(
            field.number(),
            from,
            to,
            cursor -> {
              if (--left[0] == 0) {
                value(field, cursor);
              } else {
                pass(field, cursor);
              }
            });
      }
    }
  }

  private void list(Field field, long from, long to, char open, char close) {
    var written = new int[1];
    out.raw(open);
    each(
        field.number(),
        from,
        to,
        cursor -> {
          if (written[0]++ > 0) {
            out.raw(',');
          }
          if (field.presence() == Presence.MAP) {
            entry(field, cursor);
          } else {
            value(field, cursor);
          }
        });
    out.raw(close);
  }

  private void entry(Field field, ProtobufReader cursor) {
    long outer = cursor.enter();
    long from = cursor.position();
    long to = cursor.end();
    cursor.leave(outer);
    field(Field.always(1, "key", Form.TEXT), from, to, count(1, from, to));
    out.raw(':');
    if (each(2, from, to, value -> value(field, value)) == 0) {
      out.raw("{}");
    }
  }

  private int count(int number, long from, long to) {
    return each(number, from, to, cursor -> cursor.pass(cursor.length()));
  }

  private void missing(Form form) {
    switch (form) {
      case TEXT -> out.string("");
      case LONG, ZIGZAG_LONG -> out.string("0");
      case BOOL -> out.bool(false);
      case TYPE -> out.string(TensorflowTypes.constant(0));
      case TYPE_CLASS -> out.string(TensorflowTypes.typeSpec(0));
      default -> out.raw('0');
    }
  }

  private void value(Field field, ProtobufReader cursor) {
    switch (field.form()) {
      case TEXT -> text(cursor);
      case INT -> out.number(cursor.varint());
      case LONG -> out.raw('"').number(cursor.varint()).raw('"');
      case ZIGZAG_LONG -> {
        long coded = cursor.varint();
        out.raw('"').number((coded >>> 1) ^ -(coded & 1)).raw('"');
      }
      case BOOL -> out.bool(cursor.varint() != 0);
      case DOUBLE -> out.number(Double.longBitsToDouble(cursor.fixed64()));
      case TYPE -> out.string(TensorflowTypes.constant(cursor.varint32()));
      case TYPE_CLASS -> out.string(TensorflowTypes.typeSpec(cursor.varint32()));
      case MESSAGE -> {
        long outer = cursor.enter();
        message(field.message(), cursor.position(), cursor.end());
        cursor.leave(outer);
      }
    }
  }

  private void text(ProtobufReader cursor) {
    int length = cursor.length();
    out.string(data, cursor.position(), length);
    cursor.pass(length);
  }
}
