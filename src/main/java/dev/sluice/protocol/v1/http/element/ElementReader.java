package dev.sluice.protocol.v1.http.element;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.codec.JsonCursor;
import dev.sluice.protocol.codec.JsonCursor.Kind;
import dev.sluice.protocol.codec.JsonElements;
import dev.sluice.protocol.v1.TensorflowTypeNames;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.TensorBuilder;
import dev.sluice.tensor.TensorSpec;
import dev.sluice.transport.Body;

/** Reads single values as elements of one input, and says what is wrong with those that are not. */
record ElementReader(Body body, TensorSpec spec, JsonElements elements) {
  /**
   * Reads the next value, which is no list.
   *
   * @throws InferenceException with INVALID_ARGUMENT if it is not of the input's type or out of its
   *     range; with UNIMPLEMENTED if no value is
   */
  void read(JsonCursor in, TensorBuilder out) {
    if (elements.read(in, out)) {
      return;
    }
    if (spec.type() == DataType.BYTES && Base64Objects.isNext(in)) {
      byte[] decoded = Base64Objects.read(in);
      out.putBytes(decoded, 0, decoded.length);
      return;
    }
    throw refuse(in);
  }

  /** Reads elements in a row: see {@link JsonElements#readRun}. */
  long readRun(JsonCursor in, TensorBuilder out, long most) {
    return elements.readRun(in, out, most);
  }

  /** Returns the value that the cursor stands before, as messages show it. */
  String dump(JsonCursor in) {
    in.peek();
    return JsonDump.of(body, in.position());
  }

  private InferenceException refuse(JsonCursor in) {
    Kind kind = in.peek();
    String value = "JSON Value: " + dump(in);
    if (elements.equals(JsonElements.NONE)) {
      return new InferenceException(
          ErrorCode.UNIMPLEMENTED,
          "Conversion of " + value + " to type: " + TensorflowTypeNames.of(spec));
    }
    if (spec.type() == DataType.BYTES && kind == Kind.OBJECT) {
      return InferenceException.invalid(value + " not formatted correctly for base64 data");
    }
    return InferenceException.invalid(
        value
            + " Type: "
            + JsonKindNames.of(kind)
            + " is not of expected type: "
            + TensorflowTypeNames.of(spec));
  }
}
