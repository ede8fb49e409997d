package dev.sluice.protocol.grps.http;

import dev.sluice.protocol.codec.JsonCursor;
import dev.sluice.protocol.codec.JsonNumber;
import dev.sluice.protocol.codec.JsonString;
import dev.sluice.protocol.grps.DataForm;
import dev.sluice.protocol.grps.ElementConversion;
import dev.sluice.protocol.grps.GrpsType;
import dev.sluice.protocol.grps.RequestInputs;
import dev.sluice.protocol.grps.SingleInput;
import dev.sluice.protocol.grps.Utf8;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.TensorBuilder;
import dev.sluice.tensor.TensorSpec;
import dev.sluice.transport.Body;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * Reads JSON values as elements of grps types, straight into a tensor's memory. Whole numbers may
 * be strings too, and may be written with a fraction or exponent if they are whole all the same;
 * NaN and the infinities are strings.
 */
@FunctionalInterface
interface GrpsValueReader {
  /** 2^53: whole numbers below it are exact in a double. */
  double EXACT = 0x1p53;

  /** Decimal digits that surely fit into a long, with the sign. */
  int LONG_TEXT = 20;

  /**
   * Reads the next value as one element.
   *
   * @return false if it is not one that the tensor's type holds; nothing is put then
   */
  boolean read(JsonCursor in, TensorBuilder out);

  /** Returns the reader of a wire type's values. */
  static GrpsValueReader of(GrpsType type) {
    return switch (type.kind()) {
      case INTEGER -> GrpsValueReader::integer;
      case SINGLE, DOUBLE -> GrpsValueReader::number;
      case TEXT -> GrpsValueReader::text;
    };
  }

  /** Reads the data of {@code str_data}. */
  static void text(JsonCursor in, RequestInputs inputs) {
    Body text = text(in, DataForm.TEXT.field());
    TensorSpec input = inputs.only(DataForm.TEXT);
    inputs.add(input, SingleInput.text(input, DataForm.TEXT.field(), text));
  }

  /**
   * Reads the next value as text. Its bytes are only valid until the next one is read.
   *
   * @param place where it is, for texts
   */
  static Body text(JsonCursor in, String place) {
    if (in.peek() != JsonCursor.Kind.STRING) {
      throw GrpsJson.wrong(in, place, "text");
    }
    int before = in.position();
    Body text = bytes(in.string());
    if (!Utf8.isValid(text)) {
      in.seek(before);
      throw GrpsJson.wrong(in, place, "text in UTF-8");
    }
    return text;
  }

  /** Returns the bytes of a string, in the array that it was read into, without a copy. */
  private static Body bytes(JsonString string) {
    return new Body(string.bytes(), string.offset(), string.length());
  }

  /** Reads a whole number in range of the element type; returns false for any other value. */
  private static boolean integer(JsonCursor in, TensorBuilder out) {
    OptionalLong value = integer(in);
    return value.isPresent() && ElementConversion.put(out, value.getAsLong());
  }

  /** Reads the next value as a whole number; empty if it is none. */
  static OptionalLong integer(JsonCursor in) {
    return switch (in.peek()) {
      case NUMBER -> whole(in.number());
      case STRING -> parse(in.string());
      case OBJECT, ARRAY, TRUE, FALSE, NULL -> OptionalLong.empty();
    };
  }

  /** Returns the value of a number if it is whole, however it is written. */
  static OptionalLong whole(JsonNumber number) {
    if (number.isLong()) {
      return OptionalLong.of(number.toLong());
    }
    if (number.isInteger()) {
      return OptionalLong.empty();
    }
    double value = number.toDouble();
    boolean exact = value == Math.rint(value) && Math.abs(value) <= EXACT;
    return exact ? OptionalLong.of((long) value) : OptionalLong.empty();
  }

  /**
   * Parses a 64-bit integer that is written as a string, as proto3 JSON does; empty if it is none.
   */
  private static OptionalLong parse(JsonString string) {
    if (string.length() > LONG_TEXT) {
      return OptionalLong.empty();
    }
    try {
      return OptionalLong.of(Long.parseLong(string.toText()));
    } catch (NumberFormatException e) {
      return OptionalLong.empty();
    }
  }

  /** Reads a number, or one of the words of proto3 JSON for NaN and infinities. */
  private static boolean number(JsonCursor in, TensorBuilder out) {
    if (in.peek() == JsonCursor.Kind.NUMBER && out.type() == DataType.FP32) {
      return single(in.number(), out);
    }
    OptionalDouble value = number(in);
    return value.isPresent() && ElementConversion.put(out, value.getAsDouble());
  }

  /** Rounded once, from the text: by way of a double it would sometimes be the wrong neighbour. */
  private static boolean single(JsonNumber number, TensorBuilder out) {
    float value = number.toFloat();
    if (Float.isInfinite(value) && Double.isFinite(number.toDouble())) {
      return false;
    }
    out.putFloat(value);
    return true;
  }

  /** Reads the next value as a floating point number; empty if it is none. */
  static OptionalDouble number(JsonCursor in) {
    return switch (in.peek()) {
      case NUMBER -> OptionalDouble.of(in.number().toDouble());
      case STRING -> word(in.string().toText());
      case OBJECT, ARRAY, TRUE, FALSE, NULL -> OptionalDouble.empty();
    };
  }

  /** Returns the number of proto3 JSON's words for NaN and infinities; empty for any other text. */
  private static OptionalDouble word(String text) {
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "nan" -> OptionalDouble.of(Double.NaN);
      case "infinity" -> OptionalDouble.of(Double.POSITIVE_INFINITY);
      case "-infinity" -> OptionalDouble.of(Double.NEGATIVE_INFINITY);
      default -> OptionalDouble.empty();
    };
  }

  /** Reads a string of valid UTF-8; returns false for any other value. */
  private static boolean text(JsonCursor in, TensorBuilder out) {
    if (in.peek() != JsonCursor.Kind.STRING) {
      return false;
    }
    JsonString string = in.string();
    boolean isText = Utf8.isValid(bytes(string));
    if (isText) {
      string.putInto(out);
    }
    return isText;
  }
}
