package dev.sluice.runtime.onnx;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.sluice.runtime.NativeMemory;
import dev.sluice.tensor.BytesElements;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorBuilder;
import java.lang.foreign.MemorySegment;

/** Copies BYTES elements between tensors and the runtime's string values, byte by byte as is. */
final class OnnxStrings {
  private OnnxStrings() {}

  /**
   * Fills a new string value.
   *
   * @param out a word to work with
   */
  static void write(Tensor tensor, long value, MemorySegment out) {
    var elements = new BytesElements(tensor);
    for (long index = 0; elements.next(); index++) {
      OrtApi.getResizedStringBuffer(value, index, elements.length(), out.address());
      NativeMemory.copyTo(
          out.get(JAVA_LONG, 0), elements.data(), elements.offset(), elements.length());
    }
  }

  /** Returns a BYTES tensor with the elements of a string value. */
  static Tensor read(long value, Shape shape) {
    long count = shape.elementCount();
    // One offset per element, and behind the last the length of all.
    try (Tensor offsets = Tensor.allocate(DataType.INT64, Shape.of(count + 1))) {
      long end = offsets.data().address() + count * Long.BYTES;
      OrtApi.getStringTensorDataLength(value, end);
      long bytes = offsets.data().getAtIndex(JAVA_LONG, count);
      try (Tensor content = Tensor.allocate(DataType.UINT8, Shape.of(bytes))) {
        OrtApi.getStringTensorContent(
            value, content.data().address(), bytes, offsets.data().address(), count);
        return join(content.data(), offsets.data(), shape);
      }
    }
  }

  private static Tensor join(MemorySegment content, MemorySegment offsets, Shape shape) {
    long count = shape.elementCount();
    long capacity = content.byteSize() + count * BytesElements.LENGTH.byteSize();
    try (var builder = new TensorBuilder(DataType.BYTES, capacity)) {
      for (long i = 0; i < count; i++) {
        long start = offsets.getAtIndex(JAVA_LONG, i);
        long length = offsets.getAtIndex(JAVA_LONG, i + 1) - start;
        builder.putBytes(content, start, Math.toIntExact(length));
      }
      return builder.build(shape);
    }
  }
}
