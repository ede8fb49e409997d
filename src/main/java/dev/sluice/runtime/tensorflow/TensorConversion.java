package dev.sluice.runtime.tensorflow;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.runtime.NativeMemory;
import dev.sluice.runtime.NativeShape;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorSpec;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Tensors to TensorFlow's and back. One thread at a time.
 *
 * <p>Inputs are copied into memory of TensorFlow's own, because a model may keep what it is given:
 * in a variable, a queue, or as an output. Outputs are not copied, but for strings and for views of
 * variables, which the next run may change.
 */
final class TensorConversion {
  /** TensorFlow's own limit is 254. */
  private static final int MAX_RANK = 254;

  private final NativeShape dims;

  TensorConversion(Arena arena) {
    this.dims = new NativeShape(arena, MAX_RANK);
  }

  /** Returns a copy, for the caller to delete. */
  long toNative(NamedTensor input) {
    Tensor tensor = input.tensor();
    int rank = dims.write(input);
    return tensor.type() == DataType.BYTES
        ? TfStrings.write(tensor, dims.address(), rank)
        : copyNumbers(tensor, rank);
  }

  private long copyNumbers(Tensor tensor, int rank) {
    int type = TfTypes.number(tensor.type());
    long bytes = tensor.byteSize();
    long value = TfApi.allocateTensor(type, dims.address(), rank, bytes);
    if (value == 0) {
      throw new OutOfMemoryError("no native memory for a tensor of " + bytes + " bytes");
    }
    NativeMemory.copyTo(TfApi.tensorData(value), tensor.data(), 0, bytes);
    return value;
  }

  /** Returns whether an output's memory must be copied because it may not be kept. */
  static boolean mustBeCopied(long value, TensorSpec spec) {
    return TfApi.tensorType(value) == TfTypes.STRING || spec.nativeType().endsWith("_REF");
  }

  /** Returns a copy of an output, which stays the caller's. */
  static Tensor copy(long value) {
    DataType type = type(value);
    Shape shape = shape(value);
    if (type == DataType.BYTES) {
      return TfStrings.read(TfApi.tensorData(value), shape);
    }
    Tensor copy = Tensor.allocate(type, shape);
    copy.data().copyFrom(data(value, type, shape));
    return copy;
  }

  /** Returns a tensor that owns an output and deletes it in the end. */
  static Tensor adopt(long value) {
    DataType type = type(value);
    Shape shape = shape(value);
    return Tensor.adopt(type, shape, data(value, type, shape), () -> TfApi.deleteTensor(value));
  }

  private static DataType type(long value) {
    int number = TfApi.tensorType(value);
    DataType type = TfTypes.type(number);
    if (type == DataType.UNSUPPORTED) {
      throw new InferenceException(
          ErrorCode.UNIMPLEMENTED,
          "the model returned " + TfTypes.nativeName(number) + ", which no protocol here carries");
    }
    return type;
  }

  private static Shape shape(long value) {
    var sizes = new long[TfApi.numDims(value)];
    for (int i = 0; i < sizes.length; i++) {
      sizes[i] = TfApi.dim(value, i);
    }
    return Shape.of(sizes);
  }

  private static MemorySegment data(long value, DataType type, Shape shape) {
    long bytes = Math.multiplyExact(shape.elementCount(), type.byteSize());
    return NativeMemory.at(TfApi.tensorData(value), bytes);
  }
}
