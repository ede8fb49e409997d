package dev.sluice.scheduling.sequence;

import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorBuilder;
import java.nio.charset.StandardCharsets;

/** Makes tensors in which all elements have one value. The caller owns them. */
final class ConstantTensors {
  private ConstantTensors() {}

  /** Returns the shape with 1 in place of each open dimension. */
  static Shape unitShape(Shape declared) {
    long[] dims = declared.dims();
    for (int i = 0; i < dims.length; i++) {
      dims[i] = dims[i] == Shape.ANY ? 1 : dims[i];
    }
    return Shape.of(dims);
  }

  /** Returns a tensor of zeros, or of empty texts. The caller has bounded its size. */
  static Tensor zeros(DataType type, Shape shape) {
    if (type == DataType.BYTES) {
      return texts(shape, "");
    }
    Tensor tensor = Tensor.allocate(type, shape);
    tensor.data().fill((byte) 0);
    return tensor;
  }

  static Tensor texts(Shape shape, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    try (var builder = new TensorBuilder(DataType.BYTES, 0)) {
      for (long i = 0; i < shape.elementCount(); i++) {
        builder.putBytes(bytes, 0, bytes.length);
      }
      return builder.build(shape);
    }
  }

  /** Returns a tensor of a number in each element, in the bytes of an integer or a float. */
  static Tensor numbers(DataType type, Shape shape, long whole, double fraction) {
    try (var builder = new TensorBuilder(type, 64)) {
      for (long i = 0; i < shape.elementCount(); i++) {
        put(builder, whole, fraction);
      }
      return builder.build(shape);
    }
  }

  private static void put(TensorBuilder out, long whole, double fraction) {
    switch (out.type()) {
      case FP32 -> out.putFloat((float) fraction);
      case BOOL -> out.putByte((byte) whole);
      case INT32, UINT32 -> out.putInt((int) whole);
      default -> out.putLong(whole);
    }
  }
}
