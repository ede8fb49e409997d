package dev.sluice.protocol.oip.http.json;

import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.codec.JsonCursor;
import dev.sluice.protocol.codec.JsonCursor.Kind;
import dev.sluice.protocol.codec.JsonElements;
import dev.sluice.protocol.codec.JsonError;
import dev.sluice.protocol.codec.JsonString;
import dev.sluice.protocol.oip.Excerpt;
import dev.sluice.protocol.oip.InputHead;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorBuilder;
import java.nio.ByteBuffer;
import java.util.Base64;

/**
 * Reads the {@code data} of one input into a tensor. Values may be flat or nested in any way: as in
 * Triton, only their order and number count.
 */
final class JsonData {
  private final JsonCursor in;
  private final InputHead input;
  private final JsonElements elements;
  private final TensorBuilder out;
  private final long wanted;

  private JsonData(JsonCursor in, InputHead input, boolean base64, TensorBuilder out) {
    this.in = in;
    this.input = input;
    this.elements = base64 ? this::base64 : JsonElements.of(input.type());
    this.out = out;
    this.wanted = input.shape().elementCount();
  }

  /**
   * Reads the next value as an input's data.
   *
   * @param base64 whether BYTES elements are base64 and not text
   * @return a tensor that the caller owns
   * @throws InferenceException with INVALID_ARGUMENT if number, type or range of the values is not
   *     what the input's shape and type say
   */
  static Tensor read(JsonCursor in, InputHead input, boolean base64) {
    long elements = input.shape().elementCount();
    // Each element but the last takes a digit and a comma at least.
    if (elements - 1 > in.remaining() / 2) {
      throw tooFew(input, "fewer");
    }
    long capacity =
        input.type() == DataType.BYTES
            ? Math.min(elements * 16, in.remaining())
            : elements * input.type().byteSize();
    try (var builder = new TensorBuilder(input.type(), capacity)) {
      new JsonData(in, input, base64, builder).readAll();
      return builder.build(input.shape());
    }
  }

  private void readAll() {
    value(0);
    if (out.elements() < wanted) {
      throw tooFew(input, Long.toString(out.elements()));
    }
  }

  private void value(int depth) {
    if (in.peek() != Kind.ARRAY) {
      element();
      return;
    }
    if (depth == JsonCursor.MAX_DEPTH) {
      throw InferenceException.invalid(JsonError.TOO_DEEP.text());
    }
    in.beginArray();
    while (in.nextElement()) {
      if (elements.readRun(in, out, wanted - out.elements()) == 0) {
        value(depth + 1);
      }
    }
  }

  private void element() {
    if (out.elements() == wanted) {
      throw InferenceException.invalid(
          "Unable to parse 'data': Shape does not match true shape of 'data' field. "
              + takes(input)
              + "more");
    }
    if (!elements.read(in, out)) {
      throw wrongElement(input.type() == DataType.BYTES ? "a string" : input.type().name());
    }
  }

  private boolean base64(JsonCursor cursor, TensorBuilder builder) {
    if (cursor.peek() != Kind.STRING) {
      return false;
    }
    int before = cursor.position();
    JsonString string = cursor.string();
    var encoded = ByteBuffer.wrap(string.bytes(), string.offset(), string.length());
    try {
      ByteBuffer decoded = Base64.getDecoder().decode(encoded);
      builder.putBytes(decoded.array(), decoded.arrayOffset(), decoded.remaining());
      return true;
    } catch (IllegalArgumentException e) {
      cursor.seek(before);
      throw wrongElement("base64");
    }
  }

  private InferenceException wrongElement(String wantedType) {
    return InferenceException.invalid(
        "Unable to parse 'data': element "
            + out.elements()
            + " of input '"
            + Excerpt.of(input.name())
            + "' is "
            + JsonFields.excerpt(in)
            + ", wanted "
            + wantedType);
  }

  private static InferenceException tooFew(InputHead input, String got) {
    return InferenceException.invalid(
        "Failed to parse 'data' field: shape does not match true shape. " + takes(input) + got);
  }

  private static String takes(InputHead input) {
    return "Input '"
        + Excerpt.of(input.name())
        + "' of shape "
        + Excerpt.of(input.shape())
        + " takes "
        + input.shape().elementCount()
        + " elements, got ";
  }
}
