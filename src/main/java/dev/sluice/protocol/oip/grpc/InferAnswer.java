package dev.sluice.protocol.oip.grpc;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.List;

/** Turns a model's answer into a {@code ModelInferResponse}, always with raw output contents. */
final class InferAnswer {
  /** What describes one output, and how many bytes it takes. */
  private static final class Head {
    private final byte[] name;
    private final byte[] datatype;
    private final Shape shape;
    private final int shapeSize;

    Head(NamedTensor output) {
      name = MessageWriter.utf8(output.name());
      datatype = MessageWriter.utf8(output.tensor().type().name());
      shape = output.tensor().shape();
      int size = 0;
      for (int i = 0; i < shape.rank(); i++) {
        size += MessageWriter.size(shape.dim(i));
      }
      shapeSize = size;
    }

    long size() {
      long shapeField = shape.rank() == 0 ? 0 : MessageWriter.fieldSize(shapeSize);
      return MessageWriter.fieldSize(name.length)
          + MessageWriter.fieldSize(datatype.length)
          + shapeField;
    }

    void write(MessageWriter out) {
      out.begin(Wire.RESPONSE_OUTPUTS, size());
      out.field(Wire.NAME, name);
      out.field(Wire.DATATYPE, datatype);
      if (shape.rank() > 0) {
        out.begin(Wire.SHAPE_PACKED, shapeSize);
      }
      for (int i = 0; i < shape.rank(); i++) {
        out.varint(shape.dim(i));
      }
    }
  }

  private final byte[] name;
  private final byte[] version;
  private final byte[] id;

  /** The entries of the field, as they are written. */
  private final byte[] parameters;

  private final List<Head> heads = new ArrayList<>();
  private final List<Tensor> tensors = new ArrayList<>();

  private InferAnswer(InferenceResponse response, String id) {
    this.name = MessageWriter.utf8(response.model().name());
    this.version = MessageWriter.utf8(Long.toString(response.model().version()));
    this.id = MessageWriter.utf8(id);
    this.parameters = AnswerParameters.encode(response.parameters());
    for (NamedTensor output : response.outputs()) {
      heads.add(new Head(output));
      tensors.add(output.tensor());
    }
  }

  /** Bytes of a response's tensors: nearly all of its message. */
  static long likelySize(InferenceResponse response) {
    long size = 0;
    for (NamedTensor output : response.outputs()) {
      size += output.tensor().byteSize();
    }
    return size;
  }

  /**
   * Encodes a response, which stays the caller's.
   *
   * @param id the caller's name for the request; empty if it gave none
   * @throws InferenceException with TOO_LARGE if the message would have 2 GiB or more
   */
  static Buffer encode(InferenceResponse response, String id) {
    return new InferAnswer(response, id).encode();
  }

  private Buffer encode() {
    var out = new MessageWriter(requireMessage(size()));
    out.field(Wire.MODEL_NAME, name);
    out.field(Wire.MODEL_VERSION, version);
    if (id.length > 0) {
      out.field(Wire.ID, id);
    }
    out.raw(parameters);
    for (Head head : heads) {
      head.write(out);
    }
    for (Tensor tensor : tensors) {
      out.field(Wire.RAW_OUTPUT_CONTENTS, tensor);
    }
    return out.toBuffer();
  }

  private long size() {
    long size = MessageWriter.fieldSize(name.length) + MessageWriter.fieldSize(version.length);
    size += id.length == 0 ? 0 : MessageWriter.fieldSize(id.length);
    size += parameters.length;
    for (Head head : heads) {
      size += MessageWriter.fieldSize(head.size());
    }
    for (Tensor tensor : tensors) {
      size += MessageWriter.fieldSize(tensor.byteSize());
    }
    return size;
  }

  private static int requireMessage(long size) {
    if (size > Integer.MAX_VALUE - 8) {
      throw new InferenceException(
          ErrorCode.TOO_LARGE, "the response has " + size + " bytes, more than a message can hold");
    }
    return (int) size;
  }
}
