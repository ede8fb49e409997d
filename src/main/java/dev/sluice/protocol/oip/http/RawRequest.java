package dev.sluice.protocol.oip.http;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.Signature;
import dev.sluice.protocol.oip.DataTypes;
import dev.sluice.protocol.oip.InputHead;
import dev.sluice.protocol.oip.RawInputs;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorBuilder;
import dev.sluice.tensor.TensorSpec;
import dev.sluice.transport.Body;

/**
 * A body that is nothing but the bytes of a model's only input. The rest is deduced.
 *
 * <p>Only for models with one input: its open dimensions follow from the number of bytes.
 */
final class RawRequest {
  private final String model;
  private final TensorSpec input;
  private final boolean batched;
  private final Body body;

  private RawRequest(String model, TensorSpec input, boolean batched, Body body) {
    this.model = model;
    this.input = input;
    this.batched = batched;
    this.body = body;
  }

  /**
   * Reads the input, a batch of one if the model takes batches.
   *
   * @return a tensor that the caller owns
   * @throws InferenceException with INVALID_ARGUMENT if the shape cannot be deduced or does not fit
   */
  static NamedTensor read(ModelLease model, Signature signature, Body body) {
    int inputs = signature.inputs().size();
    String name = model.id().name();
    if (inputs != 1) {
      throw InferenceException.invalid(
          "Raw request must only have 1 input (found 1) to be deduced but got "
              + inputs
              + " inputs in '"
              + name
              + "' model configuration");
    }
    TensorSpec input = signature.inputs().getFirst();
    var request = new RawRequest(name, input, model.metadata().maxBatchSize() > 0, body);
    return new NamedTensor(input.name(), request.read());
  }

  private Tensor read() {
    if (input.type() == DataType.BYTES) {
      return readBytes();
    }
    DataType type = DataTypes.of(DataTypes.name(input), input.name());
    return RawInputs.read(new InputHead(input.name(), type, deduce(type)), body, model);
  }

  private Tensor readBytes() {
    Shape one = batched ? Shape.of(1, 1) : Shape.of(1);
    if (!input.shape().isRankKnown() || !itemShape().equals(Shape.of(1))) {
      throw InferenceException.invalid(
          "For BYTE datatype raw input '"
              + input.name()
              + "', the model must have input shape [1], it has "
              + itemShape());
    }
    try (var builder = new TensorBuilder(DataType.BYTES, body.length() + 4L)) {
      builder.putBytes(body.segment(), 0, body.length());
      return builder.build(one);
    }
  }

  /** Returns the declared shape without the batch. */
  private Shape itemShape() {
    if (!batched || input.shape().rank() == 0) {
      return input.shape();
    }
    long[] dims = input.shape().dims();
    long[] item = new long[dims.length - 1];
    System.arraycopy(dims, 1, item, 0, item.length);
    return Shape.of(item);
  }

  private Shape deduce(DataType type) {
    Shape declared = input.shape().isRankKnown() ? itemShape() : Shape.of(Shape.ANY);
    long[] dims = declared.dims();
    int open = openDimension(dims);
    if (open >= 0) {
      dims[open] = 1;
      long one = new InputHead(input.name(), type, Shape.of(dims)).shape().elementCount();
      dims[open] = body.length() / Math.max(one * type.byteSize(), 1);
    }
    Shape item = Shape.of(dims);
    return batched ? item.prepend(1) : item;
  }

  /** Returns the index of the dimension of any size, -1 if there is none. */
  private int openDimension(long[] dims) {
    int open = -1;
    for (int i = 0; i < dims.length; i++) {
      if (dims[i] == Shape.ANY && open >= 0) {
        throw InferenceException.invalid(
            "The shape of the raw input '"
                + input.name()
                + "' can not be deduced because there are more than one variable-sized dimension: "
                + input.shape());
      }
      open = dims[i] == Shape.ANY ? i : open;
    }
    return open;
  }
}
