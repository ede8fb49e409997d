package dev.sluice.protocol.tfs.grpc.wire;

import static dev.sluice.protocol.tfs.grpc.wire.TfsWireWriter.delimitedSize;
import static dev.sluice.protocol.tfs.grpc.wire.TfsWireWriter.varintSize;

import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import java.nio.charset.StandardCharsets;

/** One entry of a response's map of outputs, measured. Borrows the tensor. */
public final class EncodedOutput {
  private static final int OUTPUTS = 1 << 3 | 2;
  private static final int KEY = 1 << 3 | 2;
  private static final int VALUE = 2 << 3 | 2;
  private static final int DTYPE = 1 << 3;
  private static final int TENSOR_SHAPE = 2 << 3 | 2;
  private static final int DIM = 2 << 3 | 2;
  private static final int DIM_SIZE = 1 << 3;

  private final byte[] name;
  private final int dtype;
  private final Shape shape;
  private final EncodedData data;
  private final long shapeSize;
  private final long protoSize;
  private final long entrySize;

  public EncodedOutput(NamedTensor output, boolean tensorContent) {
    this.name = output.name().getBytes(StandardCharsets.UTF_8);
    this.dtype = WireType.of(output.tensor().type()).number();
    this.shape = output.tensor().shape();
    this.data =
        tensorContent ? new EncodedContent(output.tensor()) : new EncodedValues(output.tensor());
    this.shapeSize = shapeSize(shape);
    this.protoSize = 1 + varintSize(dtype) + 1 + delimitedSize(shapeSize) + data.size();
    this.entrySize = 1 + delimitedSize(name.length) + 1 + delimitedSize(protoSize);
  }

  /** Returns the number of bytes that {@link #write} will write. */
  public long size() {
    return 1 + delimitedSize(entrySize);
  }

  public void write(TfsWireWriter out) {
    out.open(OUTPUTS, entrySize);
    out.open(KEY, name.length);
    out.bytes(name);
    out.open(VALUE, protoSize);
    out.varint(DTYPE);
    out.varint(dtype);
    writeShape(out);
    data.write(out);
  }

  private void writeShape(TfsWireWriter out) {
    out.open(TENSOR_SHAPE, shapeSize);
    for (int i = 0; i < shape.rank(); i++) {
      out.open(DIM, dimSize(shape.dim(i)));
      if (shape.dim(i) != 0) {
        out.varint(DIM_SIZE);
        out.varint(shape.dim(i));
      }
    }
  }

  private static long shapeSize(Shape shape) {
    long size = 0;
    for (int i = 0; i < shape.rank(); i++) {
      size += 1 + delimitedSize(dimSize(shape.dim(i)));
    }
    return size;
  }

  /** Returns the size of a dimension's field; a zero is not written, as proto3 has it. */
  private static long dimSize(long dim) {
    return dim == 0 ? 0 : 1 + varintSize(dim);
  }
}
