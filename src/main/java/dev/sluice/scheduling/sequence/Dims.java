package dev.sluice.scheduling.sequence;

import dev.sluice.tensor.Shape;

/** Sizes for tensors that the server makes. */
final class Dims {
  private Dims() {}

  /** A shape with every open dimension 1. */
  static Shape ones(Shape declared) {
    long[] dims = declared.dims();
    for (int i = 0; i < dims.length; i++) {
      dims[i] = dims[i] == Shape.ANY ? 1 : dims[i];
    }
    return Shape.of(dims);
  }
}
