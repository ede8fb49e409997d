package dev.sluice.protocol.tfs.grpc.wire;

import dev.sluice.protocol.codec.protobuf.ProtobufWriter;

/** The values of an output, measured and ready to be written. */
sealed interface EncodedData permits EncodedValues, EncodedContent {
  /** Returns the number of bytes that {@link #write} will write. */
  long size();

  /** Writes the fields of a TensorProto that hold values; none for an empty tensor. */
  void write(ProtobufWriter out);
}
