package dev.sluice.protocol.oip.grpc;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ParameterValue;
import dev.sluice.protocol.oip.SharedSlot;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Turns a model's answer into a {@code ModelInferResponse}, always with raw output contents. */
final class InferAnswer {
  /** What describes one output, and how many bytes it takes. */
  private static final class Head {
    private final byte[] name;
    private final byte[] datatype;
    private final Shape shape;
    private final int shapeSize;

    /** The entries of the field, as they are written. */
    private final byte[] parameters;

    Head(NamedTensor output, Map<String, ParameterValue> said) {
      parameters = AnswerParameters.encode(said);
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
          + shapeField
          + parameters.length;
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
      out.raw(parameters);
    }
  }

  private final byte[] name;
  private final byte[] version;
  private final byte[] id;

  /** The entries of the field, as they are written. */
  private final byte[] parameters;

  private final List<Head> heads = new ArrayList<>();

  /** What is sent of each output; null for one that went to shared memory. */
  private final List<@Nullable Tensor> tensors = new ArrayList<>();

  private InferAnswer(InferenceResponse response, String id, Map<String, SharedSlot> slots) {
    this.name = MessageWriter.utf8(response.model().name());
    this.version = MessageWriter.utf8(Long.toString(response.model().version()));
    this.id = MessageWriter.utf8(id);
    this.parameters = AnswerParameters.encode(response.parameters());
    for (NamedTensor output : response.outputs()) {
      SharedSlot slot = slots.get(output.name());
      if (slot != null) {
        slot.write(output.name(), output.tensor());
      }
      heads.add(new Head(output, slot == null ? Map.of() : slot.parameters()));
      tensors.add(slot == null ? output.tensor() : null);
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
   * @param slots by output, where in shared memory it goes
   * @throws InferenceException with TOO_LARGE if the message would have 2 GiB or more
   */
  static Buffer encode(InferenceResponse response, String id, Map<String, SharedSlot> slots) {
    return new InferAnswer(response, id, slots).encode();
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
      // Clients count the contents with the outputs: one that is elsewhere has empty ones.
      if (tensor == null) {
        out.begin(Wire.RAW_OUTPUT_CONTENTS, 0);
      } else {
        out.field(Wire.RAW_OUTPUT_CONTENTS, tensor);
      }
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
      size += MessageWriter.fieldSize(tensor == null ? 0 : tensor.byteSize());
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
