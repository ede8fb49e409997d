package dev.sluice.protocol.tfs.grpc.wire;

import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.codec.RawTensors;
import dev.sluice.protocol.codec.protobuf.ProtobufException;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Tensor;

/** Copies the values of a scanned TensorProto into tensor memory. */
public final class TensorDecoder {
  private TensorDecoder() {}

  /**
   * Returns the tensor, which belongs to the caller.
   *
   * @throws InferenceException with INVALID_ARGUMENT if a value does not fit the type; nothing is
   *     left open
   */
  public static Tensor decode(EncodedTensor from) {
    try {
      if (from.type().type() == DataType.BYTES) {
        return StringsDecoder.decode(from);
      }
      return from.content().length() > 0
          ? RawTensors.read(from.type().type(), from.shape(), from.content())
          : decodeNumbers(from);
    } catch (ProtobufException e) {
      throw InferenceException.invalid(
          "tensor parsing error: " + from.name() + ": " + e.getMessage());
    }
  }

  private static Tensor decodeNumbers(EncodedTensor from) {
    Tensor tensor = Tensor.allocate(from.type().type(), from.shape());
    try {
      new NumbersDecoder(from, tensor).decode();
      return tensor;
    } catch (RuntimeException e) {
      tensor.close();
      throw e;
    }
  }
}
