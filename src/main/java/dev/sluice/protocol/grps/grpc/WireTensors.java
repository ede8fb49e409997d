package dev.sluice.protocol.grps.grpc;

import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.codec.RawTensors;
import dev.sluice.protocol.codec.protobuf.ProtobufReader;
import dev.sluice.protocol.codec.protobuf.ProtobufTag;
import dev.sluice.protocol.grps.GrpsType;
import dev.sluice.protocol.grps.RequestInputs;
import dev.sluice.protocol.grps.grpc.proto.GenericTensorData;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorBuilder;
import dev.sluice.tensor.TensorSpec;
import dev.sluice.transport.Body;

/** Reads a GenericTensorData into a model's inputs. */
final class WireTensors {
  private WireTensors() {}

  static void read(Body data, RequestInputs inputs) {
    var in = new ProtobufReader(data);
    int tensors = ProtobufTag.delimited(GenericTensorData.TENSORS_FIELD_NUMBER);
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      if (tag == tensors) {
        readTensor(WireTensor.scan(in.bytes()), inputs);
      } else {
        in.skip(tag);
      }
    }
  }

  private static void readTensor(WireTensor tensor, RequestInputs inputs) {
    TensorSpec wanted = inputs.next(tensor.name());
    tensor.requireOneList("the tensor for " + RequestInputs.label(wanted));
    GrpsType type = tensor.type();
    if (type == null) {
      if (tensor.typeNumber() == 0) {
        throw inputs.untyped(wanted);
      }
      throw InferenceException.invalid(
          "the tensor for %s has dtype %d, which is none of grps' types"
              .formatted(RequestInputs.label(wanted), tensor.typeNumber()));
    }
    TensorSpec input = inputs.fed(wanted, type);
    Shape shape = Shape.of(tensor.dims());
    Body raw = WireValues.lieAsInMemory(type, input) ? tensor.onlyList(type.listField()) : null;
    if (raw != null && isWhole(raw, input, shape)) {
      inputs.add(input, RawTensors.read(input.type(), shape, raw));
      return;
    }
    try (var elements =
        new TensorBuilder(input.type(), capacity(tensor.bytes(), type, input, shape))) {
      new WireValues(type, input, elements).read(tensor.bytes());
      inputs.add(input, elements, shape, type);
    }
  }

  private static boolean isWhole(Body raw, TensorSpec input, Shape shape) {
    int size = input.type().byteSize();
    return raw.length() % size == 0
        && RequestInputs.elementCount(input, shape) == raw.length() / size;
  }

  /**
   * Returns the capacity for the values: that of the shape, if the message can hold so many values.
   */
  private static long capacity(Body bytes, GrpsType type, TensorSpec input, Shape shape) {
    long elements = RequestInputs.elementCount(input, shape);
    long possible = bytes.length() / smallestValue(type);
    return Math.min(elements, possible) * Math.max(input.type().byteSize(), 4);
  }

  /** Returns the number of bytes that a value takes on the wire at least. */
  private static int smallestValue(GrpsType type) {
    return switch (type.kind()) {
      case INTEGER -> 1;
      case SINGLE -> Float.BYTES;
      case DOUBLE -> Double.BYTES;
      case TEXT -> 2;
    };
  }
}
