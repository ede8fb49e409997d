package dev.sluice.protocol.tfs.http;

import static dev.sluice.protocol.codec.protobuf.ProtobufTag.KEY_FIELD;
import static dev.sluice.protocol.codec.protobuf.ProtobufTag.VALUE_FIELD;

import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.codec.JsonCursor;
import dev.sluice.protocol.codec.JsonCursor.Kind;
import dev.sluice.protocol.codec.JsonNumber;
import dev.sluice.protocol.codec.JsonString;
import dev.sluice.protocol.codec.protobuf.ProtobufWriter;
import dev.sluice.protocol.v1.http.element.Base64Objects;
import dev.sluice.protocol.v1.http.element.JsonKindNames;
import dev.sluice.tensor.TensorBuilder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Writes JSON objects of features as serialised tf.Examples, features in the order of the object.
 * The type of a feature's list is that of its first value
 * (src/docs/reference/protocols/tensorflow-serving.md).
 */
final class ExampleWriter {
  /** A feature's number in the message, by what it is a list of. */
  private enum ListKind {
    NONE(0, ""),
    BYTES(1, "bytes"),
    FLOAT(2, "float"),
    INT64(3, "int64");

    private final int field;
    private final String text;

    ListKind(int field, String text) {
      this.field = field;
      this.text = text;
    }
  }

  /** The one field of an Example, of its Features and of every list. */
  private static final int FIRST = 1;

  /** The tag and length around all features. */
  private static final int HEAD = 6;

  private final JsonCursor in;

  /**
   * Room for the context and the head, then the features: both are written when these are known.
   */
  private final ProtobufWriter example = new ProtobufWriter();

  /** The list of the feature under way. */
  private final ProtobufWriter values = new ProtobufWriter();

  private byte[] context = {};
  private ListKind list = ListKind.NONE;

  // The name of the feature under way, with escapes undone.
  private byte[] name = {};
  private int nameStart;
  private int nameLength;

  ExampleWriter(JsonCursor in) {
    this.in = in;
  }

  /**
   * Reads the next value as what goes before every example that follows.
   *
   * @throws InferenceException with INVALID_ARGUMENT if it is no example
   */
  void readContext() {
    int start = features();
    context = Arrays.copyOfRange(example.array(), start, example.size());
  }

  /** Returns the number of bytes of the context, which each example takes once more. */
  int contextSize() {
    return context.length;
  }

  /**
   * Reads the next value as an example.
   *
   * @throws InferenceException with INVALID_ARGUMENT if it is none
   */
  void readExample(TensorBuilder out) {
    int start = features() - context.length;
    System.arraycopy(context, 0, example.array(), start, context.length);
    out.putBytes(example.array(), start, example.size() - start);
  }

  /** Writes an example without the context; where it begins. */
  private int features() {
    if (in.peek() != Kind.OBJECT) {
      throw InferenceException.invalid(
          "Example must be JSON object but got JSON " + JsonKindNames.of(in.peek()));
    }
    int room = context.length + HEAD;
    example.seek(room);
    in.beginObject();
    while (in.nextKey()) {
      feature();
    }
    int size = example.size() - room;
    int end = example.size();
    int start = room - 1 - ProtobufWriter.varintSize(size);
    example.seek(start);
    example.begin(FIRST, size);
    example.seek(end);
    return start;
  }

  private void feature() {
    JsonString key = in.keyBytes();
    name = key.bytes();
    nameStart = key.offset();
    nameLength = key.length();
    list = ListKind.NONE;
    values.seek(0);
    if (in.peek() == Kind.ARRAY) {
      in.beginArray();
      while (in.nextElement()) {
        value();
      }
    } else {
      value();
    }
    writeFeature();
  }

  private void writeFeature() {
    boolean packed = list == ListKind.FLOAT || list == ListKind.INT64;
    int listSize = packed ? delimited(values.size()) : values.size();
    int valueSize = list == ListKind.NONE ? 0 : delimited(listSize);
    example.begin(FIRST, delimited(nameLength) + delimited(valueSize));
    example.begin(KEY_FIELD, nameLength);
    example.raw(name, nameStart, nameLength);
    example.begin(VALUE_FIELD, valueSize);
    if (list != ListKind.NONE) {
      example.begin(list.field, listSize);
      if (packed) {
        example.begin(FIRST, values.size());
      }
      example.raw(values.array(), 0, values.size());
    }
  }

  /** Returns the number of bytes of a field of so many bytes, its tag and length included. */
  private static int delimited(int length) {
    return 1 + ProtobufWriter.varintSize(length) + length;
  }

  private void value() {
    switch (in.peek()) {
      case TRUE, FALSE -> {
        require(ListKind.INT64);
        values.varint(in.bool() ? 1 : 0);
      }
      case NUMBER -> number(in.number());
      case STRING -> {
        require(ListKind.BYTES);
        JsonString text = in.string();
        text(text.bytes(), text.offset(), text.length());
      }
      case OBJECT -> base64();
      case ARRAY, NULL -> throw unexpected();
    }
  }

  private void number(JsonNumber number) {
    if (number.isLong()) {
      require(ListKind.INT64);
      values.varint(number.toLong());
    } else if (number.isUnsignedLong()) {
      require(ListKind.INT64);
      throw InferenceException.invalid(
          "Feature: " + featureName() + " has uint64_t element. Only int64_t is supported.");
    } else {
      require(ListKind.FLOAT);
      values.fixed32(number.toFloat());
    }
  }

  private void base64() {
    if (!Base64Objects.isNext(in)) {
      throw unexpected();
    }
    require(ListKind.BYTES);
    byte[] decoded = Base64Objects.read(in);
    text(decoded, 0, decoded.length);
  }

  private void text(byte[] bytes, int from, int length) {
    values.begin(FIRST, length);
    values.raw(bytes, from, length);
  }

  private void require(ListKind wanted) {
    if (list == ListKind.NONE) {
      list = wanted;
    } else if (list != wanted) {
      throw InferenceException.invalid(
          "Unexpected element type in feature: " + featureName() + " expecting type: " + list.text);
    }
  }

  private InferenceException unexpected() {
    return InferenceException.invalid(
        "Feature: "
            + featureName()
            + " has element with unexpected JSON type: "
            + JsonKindNames.of(in.peek()));
  }

  private String featureName() {
    return new String(name, nameStart, nameLength, StandardCharsets.UTF_8);
  }
}
