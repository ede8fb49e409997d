package dev.sluice.testing;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.tensor.BytesElements;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorBuilder;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Tensors from Java values and back. Every tensor made here is the caller's to close. */
public final class Tensors {
  /** A float of a tensor. */
  public static final ValueLayout.OfFloat FLOAT = JAVA_FLOAT_UNALIGNED;

  private static final double RELATIVE = 1e-3;
  private static final double ABSOLUTE = 1e-5;

  private Tensors() {}

  public static Tensor floats(Shape shape, float... values) {
    try (var builder = new TensorBuilder(DataType.FP32, 4L * values.length)) {
      for (float value : values) {
        builder.putFloat(value);
      }
      return builder.build(shape);
    }
  }

  /** An INT64 tensor. */
  public static Tensor integers(Shape shape, long... values) {
    try (var builder = new TensorBuilder(DataType.INT64, 8L * values.length)) {
      for (long value : values) {
        builder.putLong(value);
      }
      return builder.build(shape);
    }
  }

  public static Tensor bytes(Shape shape, byte[]... elements) {
    try (var builder = new TensorBuilder(DataType.BYTES, 64)) {
      for (byte[] element : elements) {
        builder.putBytes(element, 0, element.length);
      }
      return builder.build(shape);
    }
  }

  public static Tensor texts(Shape shape, String... elements) {
    byte[][] bytes = new byte[elements.length][];
    for (int i = 0; i < elements.length; i++) {
      bytes[i] = elements[i].getBytes(StandardCharsets.UTF_8);
    }
    return bytes(shape, bytes);
  }

  /** A tensor of a fixed-size type whose memory holds the numbers 0, 1, 0, 1, … in its bytes. */
  public static Tensor zerosAndOnes(DataType type, Shape shape) {
    Tensor tensor = Tensor.allocate(type, shape);
    for (long i = 0; i < tensor.byteSize(); i++) {
      tensor.data().set(JAVA_BYTE, i, (byte) (i % 2));
    }
    return tensor;
  }

  public static float[] toFloats(Tensor tensor) {
    return tensor.data().toArray(JAVA_FLOAT_UNALIGNED);
  }

  public static List<byte[]> toBytes(Tensor tensor) {
    var all = new ArrayList<byte[]>();
    var elements = new BytesElements(tensor);
    while (elements.next()) {
      all.add(elements.toArray());
    }
    return all;
  }

  /** Checks type, shape and values; numbers with a fraction may differ a little. */
  public static void assertSame(Tensor actual, Tensor expected) {
    assertThat(actual.type()).isEqualTo(expected.type());
    assertThat(actual.shape()).isEqualTo(expected.shape());
    switch (expected.type()) {
      case FP32 -> assertClose(widened(actual), widened(expected));
      case FP64 ->
          assertClose(
              actual.data().toArray(JAVA_DOUBLE_UNALIGNED),
              expected.data().toArray(JAVA_DOUBLE_UNALIGNED));
      default ->
          assertThat(actual.data().toArray(JAVA_BYTE))
              .isEqualTo(expected.data().toArray(JAVA_BYTE));
    }
  }

  private static double[] widened(Tensor tensor) {
    float[] values = toFloats(tensor);
    var wide = new double[values.length];
    for (int i = 0; i < wide.length; i++) {
      wide[i] = values[i];
    }
    return wide;
  }

  private static void assertClose(double[] actual, double[] expected) {
    for (int i = 0; i < expected.length; i++) {
      if (Double.isFinite(expected[i])) {
        double allowed = ABSOLUTE + RELATIVE * Math.abs(expected[i]);
        assertThat(actual[i]).as("element %d", i).isCloseTo(expected[i], within(allowed));
      } else {
        assertThat(actual[i]).as("element %d", i).isEqualTo(expected[i]);
      }
    }
  }
}
