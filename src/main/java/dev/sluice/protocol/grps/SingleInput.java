package dev.sluice.protocol.grps;

import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.codec.RawTensors;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorBuilder;
import dev.sluice.tensor.TensorSpec;
import dev.sluice.transport.Body;
import java.util.Arrays;

/**
 * Makes the tensor of one input from data that brings no shape: one value, or raw bytes. The shape
 * is the declared one with its open dimensions filled in. The caller owns the tensor.
 */
public final class SingleInput {
  private static final int VALUE_SIZE = 8;

  private SingleInput() {}

  /**
   * Returns a BYTES tensor of one element.
   *
   * @param what where the value is in the request, for texts
   */
  public static Tensor text(TensorSpec input, String what, Body value) {
    if (input.type() != DataType.BYTES) {
      throw misfit(input, what, "text");
    }
    Shape shape = oneElement(input, what);
    try (var builder = new TensorBuilder(DataType.BYTES, value.length() + 4L)) {
      builder.putBytes(value.segment(), 0, value.length());
      return builder.build(shape);
    }
  }

  /** Returns a tensor of an integer type or BOOL with one element. */
  public static Tensor integer(TensorSpec input, String what, long value) {
    if (!input.type().isInteger() && input.type() != DataType.BOOL) {
      throw misfit(input, what, "a whole number");
    }
    Shape shape = oneElement(input, what);
    try (var builder = new TensorBuilder(input.type(), VALUE_SIZE)) {
      if (!ElementConversion.put(builder, value)) {
        throw misfit(input, what, Long.toString(value));
      }
      return builder.build(shape);
    }
  }

  /** Returns a tensor of a floating point type with one element. */
  public static Tensor number(TensorSpec input, String what, double value) {
    if (!input.type().isFloat()) {
      throw misfit(input, what, "a floating point number");
    }
    Shape shape = oneElement(input, what);
    try (var builder = new TensorBuilder(input.type(), VALUE_SIZE)) {
      if (!ElementConversion.put(builder, value)) {
        throw misfit(input, what, Double.toString(value));
      }
      return builder.build(shape);
    }
  }

  private static InferenceException misfit(TensorSpec input, String what, String got) {
    return InferenceException.invalid(
        "%s: got %s for input %s %s%s, wanted %s"
            .formatted(
                what,
                got,
                input.name(),
                input.type(),
                input.shape(),
                ElementConversion.wanted(input.type())));
  }

  private static Shape oneElement(TensorSpec input, String what) {
    if (!input.shape().isRankKnown()) {
      return Shape.of(1);
    }
    long[] dims = input.shape().dims();
    for (int i = 0; i < dims.length; i++) {
      if (dims[i] != Shape.ANY && dims[i] != 1) {
        throw InferenceException.invalid(
            "%s: got one value for input %s, wanted shape %s"
                .formatted(what, input.name(), input.shape()));
      }
      dims[i] = 1;
    }
    return Shape.of(dims);
  }

  /**
   * Returns a tensor of a body without any structure: the one element of a BYTES input, else
   * little-endian elements, as many as fit the declared shape. One dimension may be open, and the
   * first one besides, which is then 1.
   */
  public static Tensor raw(TensorSpec input, Body body) {
    if (input.type() == DataType.BYTES) {
      return text(input, DataForm.BYTES.field(), body);
    }
    int size = input.type().byteSize();
    if (!input.type().isCommon() || body.length() % size != 0) {
      throw badSize(input, body);
    }
    if (input.type() == DataType.BOOL && !RawTensors.areBooleans(body)) {
      throw InferenceException.invalid(
          "bin_data: input %s is BOOL, wanted bytes that are 0 or 1".formatted(input.name()));
    }
    return RawTensors.read(input.type(), rawShape(input, body, body.length() / size), body);
  }

  private static Shape rawShape(TensorSpec input, Body body, long elements) {
    if (!input.shape().isRankKnown()) {
      return Shape.of(elements);
    }
    long[] dims = input.shape().dims();
    int open = openDimension(input, dims);
    if (open >= 0) {
      dims[open] = 1;
      long others = RequestInputs.elementCount(input, Shape.of(dims));
      dims[open] = others == 0 ? 0 : elements / others;
    }
    Shape shape = Shape.of(dims);
    if (RequestInputs.elementCount(input, shape) != elements) {
      throw badSize(input, body);
    }
    return shape;
  }

  /**
   * Returns the dimension that the size decides, or -1; another open one in front of it becomes 1.
   */
  private static int openDimension(TensorSpec input, long[] dims) {
    long open = Arrays.stream(dims).filter(dim -> dim == Shape.ANY).count();
    if (open > 1 && dims[0] == Shape.ANY) {
      dims[0] = 1;
      open--;
    }
    if (open > 1) {
      throw InferenceException.invalid(
          "bin_data: the shape %s of input %s leaves open more than bytes can tell; send gtensors"
              .formatted(input.shape(), input.name()));
    }
    for (int i = 0; i < dims.length; i++) {
      if (dims[i] == Shape.ANY) {
        return i;
      }
    }
    return -1;
  }

  private static InferenceException badSize(TensorSpec input, Body body) {
    return InferenceException.invalid(
        "bin_data: got %d bytes for input %s, wanted little-endian elements of %s%s, %d bytes each"
            .formatted(
                body.length(), input.name(), input.type(), input.shape(), input.type().byteSize()));
  }
}
