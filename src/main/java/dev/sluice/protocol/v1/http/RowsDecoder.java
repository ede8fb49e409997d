package dev.sluice.protocol.v1.http;

import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.codec.JsonCursor;
import dev.sluice.protocol.codec.JsonCursor.Kind;
import dev.sluice.protocol.v1.http.element.Base64Objects;
import dev.sluice.protocol.v1.http.element.InputBuilder;
import dev.sluice.protocol.v1.http.element.JsonDump;
import dev.sluice.transport.Body;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads a list of rows: each an object with a value for every input, or, where there is one input,
 * its value. What the first row is, all are.
 *
 * @param body what the cursor walks through, for messages
 * @param list the list's name, for messages
 */
record RowsDecoder(Body body, String list, JsonCursor in, InputBuilders inputs) {
  /** Returns whether the next value is an object of values by name. */
  static boolean isNamed(JsonCursor in) {
    return in.peek() == Kind.OBJECT && !Base64Objects.isNext(in);
  }

  /**
   * Reads the next value, which is a list.
   *
   * @return the number of rows
   * @throws InferenceException with INVALID_ARGUMENT if a row is not what it should be
   */
  int read() {
    in.beginArray();
    if (!in.nextElement()) {
      return 0;
    }
    return isNamed(in) ? named() : plain();
  }

  private int plain() {
    if (inputs.all().size() > 1) {
      throw InferenceException.invalid(
          list
              + " is a plain list, but expecting list of objects as multiple input tensors"
              + " required as per tensorinfo_map");
    }
    InputBuilder input = inputs.first();
    int row = 0;
    do {
      if (isNamed(in)) {
        throw InferenceException.invalid(
            "Expecting value/list but got object at item " + row + " of input list");
      }
      readRow(input, row, "");
      row++;
    } while (in.nextElement());
    return row;
  }

  private int named() {
    int row = 0;
    do {
      if (!isNamed(in)) {
        throw InferenceException.invalid(
            "Expecting object but got list at item " + row + " of input list");
      }
      namedRow(row);
      row++;
    } while (in.nextElement());
    return row;
  }

  private void namedRow(int row) {
    int start = in.position();
    in.beginObject();
    while (in.nextKey()) {
      @Nullable InputBuilder input = inputs.named(in);
      if (input == null) {
        String key = in.key();
        throw failed(
            row,
            " key: " + key,
            "INVALID_ARGUMENT: JSON object: does not have named input: " + key);
      }
      if (input.rows() > row) {
        in.skipValue();
      } else {
        readRow(input, row, " key: " + input.name());
      }
    }
    requireAll(row, start);
  }

  private void readRow(InputBuilder input, int row, String key) {
    // An optional input that the first row lacks is one that no row may have.
    if (input.rows() < row) {
      throw failed(row, key, "INVALID_ARGUMENT: the rows before do not have this input");
    }
    try {
      input.readRow();
    } catch (InferenceException e) {
      throw failed(row, key, e.code() + ": " + e.getMessage());
    }
  }

  private InferenceException failed(int row, String key, String error) {
    return InferenceException.invalid(
        "Failed to process element: " + row + key + " of '" + list + "' list. Error: " + error);
  }

  private void requireAll(int row, int start) {
    for (InputBuilder input : inputs.all()) {
      boolean leftOut = input.isOptional() && input.rows() == 0;
      if (input.rows() <= row && !leftOut) {
        throw InferenceException.invalid(
            "Failed to process element: "
                + row
                + " of '"
                + list
                + "' list. JSON object: "
                + JsonDump.of(body, start)
                + " keys must be equal to: "
                + inputs.all().stream()
                    .map(InputBuilder::name)
                    .sorted()
                    .collect(Collectors.joining(",")));
      }
    }
  }
}
