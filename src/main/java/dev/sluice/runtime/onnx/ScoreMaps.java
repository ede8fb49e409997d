package dev.sluice.runtime.onnx;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorBuilder;
import dev.sluice.tensor.TensorSpec;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Outputs that are a list of maps, one for each row, from class to score: what converters of
 * scikit-learn models write (ZipMap). No protocol carries them, but all carry their two halves,
 * tensors of shape [rows, classes]: the scores under the output's own name, and the classes under
 * that name with {@value #CLASSES} behind it.
 *
 * <p>One thread at a time.
 */
final class ScoreMaps {
  static final String CLASSES = "_classes";

  private static final String NATIVE_TYPE = "sequence(map(";
  private static final Shape ROWS = Shape.of(Shape.ANY, Shape.ANY);
  private static final int KEYS = 0;
  private static final int VALUES = 1;

  private final OnnxValues values;
  private final MemorySegment out;

  ScoreMaps(Arena arena, OnnxValues values) {
    this.values = values;
    this.out = arena.allocate(JAVA_LONG);
  }

  /**
   * Returns the tensors that stand for an output of maps.
   *
   * @param key ONNX's number of the type of the keys
   */
  static List<TensorSpec> specs(String name, int key) {
    String nativeType = NATIVE_TYPE + OnnxTypes.nativeName(key) + ",tensor(float)))";
    return List.of(
        new TensorSpec(name, DataType.FP32, ROWS, false, name, nativeType),
        new TensorSpec(name + CLASSES, OnnxTypes.type(key), ROWS, false, name, nativeType));
  }

  /** Returns whether an output is one half of such maps. */
  static boolean holds(TensorSpec output) {
    return output.nativeType().startsWith(NATIVE_TYPE);
  }

  /** Returns the outputs without the second halves of maps whose first half is among them too. */
  static List<TensorSpec> distinct(List<TensorSpec> outputs) {
    var distinct = new ArrayList<TensorSpec>(outputs.size());
    for (TensorSpec output : outputs) {
      if (place(output, distinct) < 0) {
        distinct.add(output);
      }
    }
    return distinct;
  }

  /** Returns the place of an output, or of its other half, in a list; -1 if it is not there. */
  static int place(TensorSpec output, List<TensorSpec> outputs) {
    for (int i = 0; i < outputs.size(); i++) {
      if (outputs.get(i).nativeName().equals(output.nativeName())) {
        return i;
      }
    }
    return -1;
  }

  /** Copies one half out of a list of maps, which is borrowed. */
  Tensor read(long list, TensorSpec output) {
    OrtCollections.getValueCount(list, out.address());
    long rows = out.get(JAVA_LONG, 0);
    long columns = 0;
    try (var builder = new TensorBuilder(output.type(), 0)) {
      for (long row = 0; row < rows; row++) {
        long before = builder.elements();
        readRow(list, row, output, builder);
        long count = builder.elements() - before;
        if (row > 0 && count != columns) {
          throw new InferenceException(
              ErrorCode.INTERNAL,
              "output '%s' has %d classes in row %d and %d in row 0"
                  .formatted(output.nativeName(), count, row, columns));
        }
        columns = count;
      }
      return builder.build(Shape.of(rows, columns));
    }
  }

  private void readRow(long list, long row, TensorSpec output, TensorBuilder builder) {
    long map = element(list, row);
    try {
      long half = element(map, output.name().equals(output.nativeName()) ? VALUES : KEYS);
      try {
        put(half, builder);
      } finally {
        OrtApi.releaseValue(half);
      }
    } finally {
      OrtApi.releaseValue(map);
    }
  }

  private long element(long collection, long index) {
    OrtCollections.getValue(collection, index, OrtEnvironment.ALLOCATOR, out.address());
    return out.get(JAVA_LONG, 0);
  }

  private void put(long value, TensorBuilder builder) {
    DataType type = values.readTypeAndShape(value);
    if (type == DataType.BYTES) {
      try (Tensor texts = OnnxStrings.read(value, values.shape())) {
        builder.putRaw(texts.data(), 0, texts.byteSize(), texts.elementCount());
      }
    } else {
      MemorySegment data = values.data(value, type);
      builder.putRaw(data, 0, data.byteSize(), values.shape().elementCount());
    }
  }
}
