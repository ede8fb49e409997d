package dev.sluice.runtime.onnx;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.runtime.NativeMemory;
import dev.sluice.runtime.NativeShape;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Tensors to the runtime's values and back. One thread at a time.
 *
 * <p>Zero-copy for numbers: a value is a view of the tensor's memory. Text is copied into the
 * runtime's own strings.
 */
final class OnnxValues {
  private static final int MAX_RANK = 256;

  private final NativeShape dims;
  private final MemorySegment outType;
  private final MemorySegment outShape;
  private final MemorySegment outRank;
  private final MemorySegment out;
  private Shape shape = Shape.SCALAR;

  OnnxValues(Arena arena) {
    this.dims = new NativeShape(arena, MAX_RANK);
    this.outType = arena.allocate(JAVA_INT);
    this.outShape = arena.allocate(JAVA_LONG);
    this.outRank = arena.allocate(JAVA_LONG);
    this.out = arena.allocate(JAVA_LONG);
  }

  /**
   * Returns a value over the tensor's own memory, or over a copy if its elements are BYTES. The
   * caller releases it, before it closes the tensor.
   */
  long wrap(NamedTensor input) {
    Tensor tensor = input.tensor();
    int rank = dims.write(input);
    return tensor.type() == DataType.BYTES ? copyStrings(tensor, rank) : wrap(tensor, rank);
  }

  private long wrap(Tensor tensor, int rank) {
    OrtApi.createTensorWithData(
        OrtEnvironment.CPU_MEMORY,
        tensor.data().address(),
        tensor.byteSize(),
        dims.address(),
        rank,
        OnnxTypes.number(tensor.type()),
        out.address());
    return out.get(JAVA_LONG, 0);
  }

  private long copyStrings(Tensor tensor, int rank) {
    OrtApi.createTensor(
        OrtEnvironment.ALLOCATOR,
        dims.address(),
        rank,
        OnnxTypes.number(DataType.BYTES),
        out.address());
    long value = out.get(JAVA_LONG, 0);
    try {
      OnnxStrings.write(tensor, value, out);
      return value;
    } catch (RuntimeException | Error e) {
      OrtApi.releaseValue(value);
      throw e;
    }
  }

  /** Reads the shape too, for {@link #shape}. */
  DataType readTypeAndShape(long value) {
    OrtApi.getTypeAndShapeReference(
        value, outType.address(), outShape.address(), outRank.address());
    long address = outShape.get(JAVA_LONG, 0);
    var sizes = new long[Math.toIntExact(outRank.get(JAVA_LONG, 0))];
    for (int i = 0; i < sizes.length; i++) {
      sizes[i] = NativeMemory.getLong(address + (long) i * Long.BYTES);
    }
    shape = Shape.of(sizes);
    int number = outType.get(JAVA_INT, 0);
    DataType type = OnnxTypes.type(number);
    if (type == DataType.UNSUPPORTED) {
      throw new InferenceException(
          ErrorCode.UNIMPLEMENTED,
          "the model returned "
              + OnnxTypes.nativeName(number)
              + ", which no protocol here carries");
    }
    return type;
  }

  /** Of the value that {@link #readTypeAndShape} read last. */
  Shape shape() {
    return shape;
  }

  /** Returns the elements of the value that {@link #readTypeAndShape} read last. */
  MemorySegment data(long value, DataType type) {
    OrtApi.getTensorMutableData(value, out.address());
    long bytes = Math.multiplyExact(shape.elementCount(), type.byteSize());
    return NativeMemory.at(out.get(JAVA_LONG, 0), bytes);
  }
}
