package dev.sluice.protocol.tfs.grpc.wire;

import static dev.sluice.protocol.tfs.grpc.wire.TfsWireWriter.delimitedSize;
import static dev.sluice.protocol.tfs.grpc.wire.TfsWireWriter.varintSize;

import dev.sluice.tensor.BytesElements;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Tensor;

/** The values of an output as tensor_content. Borrows the tensor. */
final class EncodedContent implements EncodedData {
  private static final int TAG = 4 << 3 | 2;

  private final Tensor tensor;
  private final long payload;

  EncodedContent(Tensor tensor) {
    this.tensor = tensor;
    this.payload = tensor.type() == DataType.BYTES ? stringsSize() : tensor.byteSize();
  }

  @Override
  public long size() {
    return payload == 0 ? 0 : 1 + delimitedSize(payload);
  }

  @Override
  public void write(TfsWireWriter out) {
    if (payload == 0) {
      return;
    }
    out.open(TAG, payload);
    if (tensor.type() == DataType.BYTES) {
      writeStrings(out);
    } else {
      out.bytes(tensor.data(), 0, Math.toIntExact(payload));
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
  private void writeStrings(TfsWireWriter out) {
    var lengths = new BytesElements(tensor);
    while (lengths.next()) {
      out.varint(lengths.length());
    }
    var elements = new BytesElements(tensor);
    while (elements.next()) {
      out.bytes(elements.data(), elements.offset(), elements.length());
    }
  }
}
