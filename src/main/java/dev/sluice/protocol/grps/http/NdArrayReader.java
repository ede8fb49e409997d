package dev.sluice.protocol.grps.http;

import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.codec.JsonCursor;
import dev.sluice.protocol.codec.JsonCursor.Kind;
import dev.sluice.protocol.codec.JsonNumber;
import dev.sluice.protocol.grps.DataForm;
import dev.sluice.protocol.grps.ElementConversion;
import dev.sluice.protocol.grps.RequestInputs;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorBuilder;
import dev.sluice.tensor.TensorSpec;
import java.util.Arrays;
import java.util.OptionalLong;

/**
 * Reads {@code ndarray}, a number or nested lists of numbers, into a model's only input. The shape
 * is the nesting: the first way down from the outermost list sets it, all others must follow. For a
 * 32-bit input a number beyond its range becomes infinite, as grps does; for an integer input every
 * number must be whole and in range.
 */
final class NdArrayReader {
  private static final int START = 4096;
  private static final int OPEN = -1;

  private final JsonCursor in;
  private final RequestInputs inputs;
  private final int[] dims = new int[JsonCursor.MAX_DEPTH + 1];

  /** The number of dimensions, once the first number was reached. */
  private int rank = OPEN;

  NdArrayReader(JsonCursor in, RequestInputs inputs) {
    this.in = in;
    this.inputs = inputs;
    Arrays.fill(dims, OPEN);
  }

  void read() {
    Kind kind = in.peek();
    if (kind != Kind.ARRAY && kind != Kind.NUMBER) {
      throw InferenceException.invalid("NDArray is not number or array.");
    }
    TensorSpec input = inputs.only(DataForm.NDARRAY);
    if (input.type().byteSize() == 0) {
      throw InferenceException.invalid(
          "ndarray: got numbers for input %s, wanted %s"
              .formatted(input.name(), ElementConversion.wanted(input.type())));
    }
    try (var elements = new TensorBuilder(input.type(), START)) {
      readLevel(0, input, elements);
      inputs.add(input, elements.build(shape()));
    }
  }

  private Shape shape() {
    long[] sizes = new long[rank];
    for (int i = 0; i < rank; i++) {
      sizes[i] = dims[i];
    }
    return Shape.of(sizes);
  }

  private void readLevel(int depth, TensorSpec input, TensorBuilder elements) {
    switch (in.peek()) {
      case ARRAY -> readList(depth, input, elements);
      case NUMBER -> readNumber(depth, input, elements);
      case OBJECT, STRING, TRUE, FALSE, NULL ->
          throw failed("NDArray some array is not a number or array.");
    }
  }

  private void readList(int depth, TensorSpec input, TensorBuilder elements) {
    if (rank != OPEN && depth >= rank) {
      throw failed("NDArray some array size not match.");
    }
    int count = 0;
    in.beginArray();
    while (in.nextElement()) {
      readLevel(depth + 1, input, elements);
      count++;
    }
    if (count == 0) {
      throw failed("NDArray some array size <= 0.");
    }
    if (dims[depth] != OPEN && dims[depth] != count) {
      throw failed("NDArray some array size not match.");
    }
    dims[depth] = count;
  }

  private void readNumber(int depth, TensorSpec input, TensorBuilder elements) {
    if (rank == OPEN) {
      rank = depth;
    }
    if (rank != depth) {
      throw failed("NDArray some array size not match.");
    }
    int before = in.position();
    if (!put(in.number(), elements)) {
      in.seek(before);
      throw GrpsJson.wrong(
          in,
          "ndarray, number %d, for %s".formatted(elements.elements(), RequestInputs.label(input)),
          ElementConversion.wanted(input.type()));
    }
  }

  private static boolean put(JsonNumber number, TensorBuilder elements) {
    DataType type = elements.type();
    if (type == DataType.FP32) {
      elements.putFloat(number.toFloat());
      return true;
    }
    if (type.isFloat()) {
      return ElementConversion.put(elements, number.toDouble());
    }
    OptionalLong whole = GrpsValueReader.whole(number);
    return whole.isPresent() && ElementConversion.put(elements, whole.getAsLong());
  }

  private static InferenceException failed(String why) {
    return InferenceException.invalid("Parse NDArray failed: " + why);
  }
}
