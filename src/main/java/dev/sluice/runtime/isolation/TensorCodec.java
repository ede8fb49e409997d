package dev.sluice.runtime.isolation;

import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;

/**
 * Encodes and decodes tensors in messages; their elements lie in a region.
 *
 * <p>Headers only: elements are in the shared region, so a message is a few dozen bytes whatever
 * the tensor holds.
 *
 * @param type of its elements
 * @param shape full
 * @param bytes of all elements
 */
record TensorCodec(DataType type, Shape shape, long bytes) {
  private static final DataType[] TYPES = DataType.values();

  /** Both processes are of one distribution, and never keep what they say to each other. */
  @SuppressWarnings("EnumOrdinal")
  static void write(Tensor tensor, ProcessMessageWriter out) {
    out.putInt(tensor.type().ordinal()).putShape(tensor.shape()).putLong(tensor.byteSize());
  }

  /**
   * @throws IllegalArgumentException if there is no such type, or its elements have other sizes
   */
  static TensorCodec read(ProcessMessageReader in) {
    int type = in.integer();
    if (type < 0 || type >= TYPES.length) {
      throw new IllegalArgumentException("there is no type of number " + type);
    }
    var tensor = new TensorCodec(TYPES[type], in.shape(), in.number());
    Tensor.requireSize(tensor.type, tensor.shape, tensor.bytes);
    return tensor;
  }
}
