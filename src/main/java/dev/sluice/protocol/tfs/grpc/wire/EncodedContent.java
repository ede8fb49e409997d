package dev.sluice.protocol.tfs.grpc.wire;

import static dev.sluice.protocol.codec.protobuf.ProtobufWriter.fieldSize;
import static dev.sluice.protocol.codec.protobuf.ProtobufWriter.varintSize;

import dev.sluice.protocol.codec.protobuf.ProtobufWriter;
import dev.sluice.protocol.tfs.grpc.proto.TensorProto;
import dev.sluice.tensor.BytesElements;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Tensor;

/** The values of an output as tensor_content. Borrows the tensor. */
final class EncodedContent implements EncodedData {
  private static final int FIELD = TensorProto.TENSOR_CONTENT_FIELD_NUMBER;

  private final Tensor tensor;
  private final long payload;

  EncodedContent(Tensor tensor) {
    this.tensor = tensor;
    this.payload = tensor.type() == DataType.BYTES ? stringsSize() : tensor.byteSize();
  }

  @Override
  public long size() {
    return payload == 0 ? 0 : fieldSize(FIELD, payload);
  }

  @Override
  public void write(ProtobufWriter out) {
    if (payload == 0) {
      return;
    }
    out.begin(FIELD, payload);
    if (tensor.type() == DataType.BYTES) {
      writeStrings(out);
    } else {
      out.raw(tensor.data(), 0, Math.toIntExact(payload));
    }
  }

  private long stringsSize() {
    long size = 0;
    var elements = new BytesElements(tensor);
    while (elements.next()) {
      size += varintSize(elements.length()) + elements.length();
    }
    return size;
  }

  /** Writes all lengths first, then all bytes. */
  private void writeStrings(ProtobufWriter out) {
    var lengths = new BytesElements(tensor);
    while (lengths.next()) {
      out.varint(lengths.length());
    }
    var elements = new BytesElements(tensor);
    while (elements.next()) {
      out.raw(elements.data(), elements.offset(), elements.length());
    }
  }
}
