package dev.sluice.protocol.tfs.grpc.wire;

import static dev.sluice.protocol.codec.protobuf.ProtobufTag.KEY_FIELD;
import static dev.sluice.protocol.codec.protobuf.ProtobufTag.VALUE_FIELD;
import static dev.sluice.protocol.codec.protobuf.ProtobufWriter.fieldSize;
import static dev.sluice.protocol.codec.protobuf.ProtobufWriter.numberSize;

import dev.sluice.protocol.codec.protobuf.ProtobufWriter;
import dev.sluice.protocol.tfs.grpc.proto.PredictResponse;
import dev.sluice.protocol.tfs.grpc.proto.TensorProto;
import dev.sluice.protocol.tfs.grpc.proto.TensorShapeProto;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import java.nio.charset.StandardCharsets;

/** One entry of a response's map of outputs, measured. Borrows the tensor. */
public final class EncodedOutput {
  private static final int OUTPUTS = PredictResponse.OUTPUTS_FIELD_NUMBER;
  private static final int DTYPE = TensorProto.DTYPE_FIELD_NUMBER;
  private static final int TENSOR_SHAPE = TensorProto.TENSOR_SHAPE_FIELD_NUMBER;
  private static final int DIM = TensorShapeProto.DIM_FIELD_NUMBER;
  private static final int DIM_SIZE = TensorShapeProto.Dim.SIZE_FIELD_NUMBER;

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
    this.protoSize = numberSize(DTYPE, dtype) + fieldSize(TENSOR_SHAPE, shapeSize) + data.size();
    this.entrySize = fieldSize(KEY_FIELD, name.length) + fieldSize(VALUE_FIELD, protoSize);
  }

  /** Returns the number of bytes that {@link #write} will write. */
  public long size() {
    return fieldSize(OUTPUTS, entrySize);
  }

  public void write(ProtobufWriter out) {
    out.begin(OUTPUTS, entrySize);
    out.bytes(KEY_FIELD, name);
    out.begin(VALUE_FIELD, protoSize);
    out.number(DTYPE, dtype);
    writeShape(out);
    data.write(out);
  }

  private void writeShape(ProtobufWriter out) {
    out.begin(TENSOR_SHAPE, shapeSize);
    for (int i = 0; i < shape.rank(); i++) {
      out.begin(DIM, dimSize(shape.dim(i)));
      if (shape.dim(i) != 0) {
        out.number(DIM_SIZE, shape.dim(i));
      }
    }
  }

  private static long shapeSize(Shape shape) {
    long size = 0;
    for (int i = 0; i < shape.rank(); i++) {
      size += fieldSize(DIM, dimSize(shape.dim(i)));
    }
    return size;
  }

  /** Returns the size of a dimension's field; a zero is not written, as proto3 has it. */
  private static long dimSize(long dim) {
    return dim == 0 ? 0 : numberSize(DIM_SIZE, dim);
  }
}
