package dev.sluice.protocol.tfs.json;

import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.codec.JsonWriter;
import dev.sluice.protocol.codec.protobuf.ProtobufException;
import dev.sluice.protocol.codec.protobuf.ProtobufReader;
import dev.sluice.protocol.codec.protobuf.ProtobufTag;
import dev.sluice.protocol.tfs.TensorflowTypes;
import dev.sluice.protocol.tfs.json.TensorInfoFields.Field;
import dev.sluice.protocol.tfs.json.TensorInfoFields.Form;
import dev.sluice.protocol.tfs.json.TensorInfoFields.Message;
import dev.sluice.protocol.tfs.json.TensorInfoFields.Presence;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * Writes a serialized TensorInfo in protobuf's JSON form, with the fields that have no value, as
 * TensorFlow Serving writes inputs and outputs that are several tensors. One thread.
 */
public final class TensorInfoJson {
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
    for (Field field : TensorInfoFields.of(message)) {
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
