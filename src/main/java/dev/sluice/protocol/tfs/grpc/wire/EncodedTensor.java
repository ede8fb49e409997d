package dev.sluice.protocol.tfs.grpc.wire;

import dev.sluice.tensor.Shape;
import dev.sluice.transport.Body;

/**
 * A TensorProto, checked but still bytes of its message: what {@link TensorScanner} found, for
 * {@link TensorDecoder} to copy into tensor memory.
 *
 * @param name the input's name
 * @param type the type of its elements
 * @param shape its full shape
 * @param proto the whole TensorProto
 * @param content its tensor_content; if that is empty, the values are in the list of the type
 * @param byteSize what the tensor takes in memory
 */
public record EncodedTensor(
    String name, WireType type, Shape shape, Body proto, Body content, long byteSize) {
  /** The most memory that a byte of a message stands for when every value is written out. */
  private static final int MOST_BYTES_PER_WIRE_BYTE = 8;

  /**
   * Returns how much of the tensor is repetition that the message only asks for: a shape of a
   * thousand million elements with one value is a message of twenty bytes.
   */
  public long filledBytes() {
    return Math.max(0, byteSize - (long) MOST_BYTES_PER_WIRE_BYTE * proto.length());
  }
}
