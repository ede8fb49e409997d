package dev.sluice.protocol.v1.http;

import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.codec.JsonCursor;
import dev.sluice.protocol.codec.JsonCursor.Kind;
import dev.sluice.protocol.v1.http.element.Base64Objects;
import dev.sluice.protocol.v1.http.element.InputBuilder;
import org.jspecify.annotations.Nullable;

/**
 * Reads whole tensors: an object of them by name, or the value of the only one.
 *
 * <p>The columnar form of a predict request, {@code inputs}: whole tensors, which may differ in
 * their first dimension.
 */
record ColumnsDecoder(JsonCursor in, InputBuilders inputs) {
  /** Returns whether the next value is an object of tensors. */
  static boolean areNamed(JsonCursor in) {
    return in.peek() == Kind.OBJECT && !Base64Objects.isNext(in);
  }

  /**
   * Reads the next value.
   *
   * @throws InferenceException with INVALID_ARGUMENT if an input is missing, or not what it should
   *     be
   */
  void read() {
    if (areNamed(in)) {
      named();
    } else if (inputs.all().size() > 1) {
      throw InferenceException.invalid(
          "inputs is a plain value/list, but expecting an object as multiple input tensors"
              + " required as per tensorinfo_map");
    } else {
      inputs.first().readWhole();
    }
  }

  private void named() {
    in.beginObject();
    while (in.nextKey()) {
      @Nullable InputBuilder input = inputs.named(in);
      if (input == null || input.isGiven()) {
        in.skipValue();
      } else {
        input.readWhole();
      }
    }
    for (InputBuilder input : inputs.all()) {
      if (!input.isGiven() && !input.isOptional()) {
        throw InferenceException.invalid(
            "Missing named input: " + input.name() + " in 'inputs' object.");
      }
    }
  }
}
