package dev.sluice.protocol.grps.grpc;

import static dev.sluice.protocol.codec.protobuf.ProtobufWriter.fieldSize;
import static dev.sluice.protocol.codec.protobuf.ProtobufWriter.numberSize;
import static dev.sluice.protocol.codec.protobuf.ProtobufWriter.varintSize;

import dev.sluice.protocol.codec.protobuf.ProtobufWriter;
import dev.sluice.protocol.grps.ElementConversion;
import dev.sluice.protocol.grps.GrpsType;
import dev.sluice.protocol.grps.Utf8;
import dev.sluice.protocol.grps.grpc.proto.GenericTensor;
import dev.sluice.tensor.BytesElements;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import java.nio.charset.StandardCharsets;

/**
 * Writes one GenericTensor. Sizes are computed when it is made, because lengths come first on the
 * wire.
 */
final class TensorWriter {
  private final NamedTensor named;
  private final Tensor tensor;
  private final byte[] name;
  private final GrpsType type;
  private final long shapeSize;
  private final long valuesSize;

  TensorWriter(NamedTensor named) {
    this.named = named;
    this.tensor = named.tensor();
    this.name = named.name().getBytes(StandardCharsets.UTF_8);
    this.type = GrpsType.of(tensor.type());
    this.shapeSize = shapeSize(tensor.shape());
    this.valuesSize = valuesSize();
  }

  /** Returns the tensor's size, without the length in front. */
  long size() {
    long size = numberSize(GenericTensor.DTYPE_FIELD_NUMBER, type.number());
    if (name.length > 0) {
      size += fieldSize(GenericTensor.NAME_FIELD_NUMBER, name.length);
    }
    if (shapeSize > 0) {
      size += fieldSize(GenericTensor.SHAPE_FIELD_NUMBER, shapeSize);
    }
    if (type == GrpsType.STRING) {
      return size + valuesSize;
    }
    return valuesSize == 0 ? size : size + fieldSize(type.listField(), valuesSize);
  }

  void write(ProtobufWriter out) {
    if (name.length > 0) {
      out.bytes(GenericTensor.NAME_FIELD_NUMBER, name);
    }
    out.number(GenericTensor.DTYPE_FIELD_NUMBER, type.number());
    if (shapeSize > 0) {
      out.begin(GenericTensor.SHAPE_FIELD_NUMBER, shapeSize);
      for (int i = 0; i < tensor.shape().rank(); i++) {
        out.varint(tensor.shape().dim(i));
      }
    }
    if (tensor.elementCount() > 0) {
      writeValues(out);
    }
  }

  private static long shapeSize(Shape shape) {
    long size = 0;
    for (int i = 0; i < shape.rank(); i++) {
      size += varintSize(shape.dim(i));
    }
    return size;
  }

  /**
   * Returns the packed list's size; for text, which is never packed, of all fields with their tags.
   */
  private long valuesSize() {
    return switch (type) {
      case UINT8, INT8, INT16, INT32, INT64 -> varintsSize();
      case FLOAT16, FLOAT32 -> tensor.elementCount() * Float.BYTES;
      case FLOAT64 -> tensor.elementCount() * Double.BYTES;
      case STRING -> textsSize();
    };
  }

  private long varintsSize() {
    long size = 0;
    for (long i = 0; i < tensor.elementCount(); i++) {
      size += varintSize(ElementConversion.int64(named, i));
    }
    return size;
  }

  private long textsSize() {
    long size = 0;
    var element = new BytesElements(tensor);
    while (element.next()) {
      Utf8.require(element, named.name());
      size += fieldSize(type.listField(), element.length());
    }
    return size;
  }

  private void writeValues(ProtobufWriter out) {
    if (type == GrpsType.STRING) {
      writeTexts(out);
      return;
    }
    out.begin(type.listField(), valuesSize);
    if (tensor.type() == DataType.FP32 || tensor.type() == DataType.FP64) {
      out.raw(tensor.data(), 0, (int) valuesSize);
    } else if (type.kind() == GrpsType.Kind.SINGLE) {
      for (long i = 0; i < tensor.elementCount(); i++) {
        out.fixed32(ElementConversion.single(tensor, i));
      }
    } else {
      for (long i = 0; i < tensor.elementCount(); i++) {
        out.varint(ElementConversion.integer(tensor, i));
      }
    }
  }

  private void writeTexts(ProtobufWriter out) {
    var element = new BytesElements(tensor);
    while (element.next()) {
      out.bytes(type.listField(), element.data(), element.offset(), element.length());
    }
  }
}
