package dev.sluice.protocol.oip.grpc;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ParameterValue;
import dev.sluice.protocol.oip.SharedMemorySlice;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Turns a model's answer into a {@code ModelInferResponse}, always with raw output contents.
 *
 * <p>Sizes first, then bytes: one array of the exact size, no intermediate message objects.
 */
final class InferResponseWriter {
  /** The head of one output's message, and its size in bytes. */
  private static final class Head {
    private final byte[] name;
    private final byte[] datatype;
    private final Shape shape;
    private final int shapeSize;

    /** The entries of the field, as they are written. */
    private final byte[] parameters;

    Head(NamedTensor output, Map<String, ParameterValue> said) {
      parameters = ResponseParameterFields.encode(said);
      name = InferMessageWriter.utf8(output.name());
      datatype = InferMessageWriter.utf8(output.tensor().type().name());
      shape = output.tensor().shape();
      int size = 0;
      for (int i = 0; i < shape.rank(); i++) {
        size += InferMessageWriter.size(shape.dim(i));
      }
      shapeSize = size;
    }

    long size() {
      long shapeField = shape.rank() == 0 ? 0 : InferMessageWriter.fieldSize(shapeSize);
      return InferMessageWriter.fieldSize(name.length)
          + InferMessageWriter.fieldSize(datatype.length)
          + shapeField
          + parameters.length;
    }

    void write(InferMessageWriter out) {
      out.begin(InferMessageTags.RESPONSE_OUTPUTS, size());
      out.field(InferMessageTags.NAME, name);
      out.field(InferMessageTags.DATATYPE, datatype);
      if (shape.rank() > 0) {
        out.begin(InferMessageTags.SHAPE_PACKED, shapeSize);
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

  /** The tensors that are sent; null for one that went to shared memory. */
  private final List<@Nullable Tensor> tensors = new ArrayList<>();

  private InferResponseWriter(
      InferenceResponse response, String id, Map<String, SharedMemorySlice> slots) {
    this.name = InferMessageWriter.utf8(response.model().name());
    this.version = InferMessageWriter.utf8(Long.toString(response.model().version()));
    this.id = InferMessageWriter.utf8(id);
    this.parameters = ResponseParameterFields.encode(response.parameters());
    for (NamedTensor output : response.outputs()) {
      SharedMemorySlice slot = slots.get(output.name());
      if (slot != null) {
        slot.write(output.name(), output.tensor());
      }
      heads.add(new Head(output, slot == null ? Map.of() : slot.parameters()));
      tensors.add(slot == null ? output.tensor() : null);
    }
  }

  /** Returns the number of bytes of a response's tensors: nearly all of its message. */
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
  static Buffer encode(
      InferenceResponse response, String id, Map<String, SharedMemorySlice> slots) {
    return new InferResponseWriter(response, id, slots).encode();
  }

  private Buffer encode() {
    var out = new InferMessageWriter(requireMessage(size()));
    out.field(InferMessageTags.MODEL_NAME, name);
    out.field(InferMessageTags.MODEL_VERSION, version);
    if (id.length > 0) {
      out.field(InferMessageTags.ID, id);
    }
    out.raw(parameters);
    for (Head head : heads) {
      head.write(out);
    }
    for (Tensor tensor : tensors) {
      // Clients count the contents with the outputs: one that is elsewhere has empty ones.
      if (tensor == null) {
        out.begin(InferMessageTags.RAW_OUTPUT_CONTENTS, 0);
      } else {
        out.field(InferMessageTags.RAW_OUTPUT_CONTENTS, tensor);
      }
    }
    return out.toBuffer();
  }

  private long size() {
    long size =
        InferMessageWriter.fieldSize(name.length) + InferMessageWriter.fieldSize(version.length);
    size += id.length == 0 ? 0 : InferMessageWriter.fieldSize(id.length);
    size += parameters.length;
    for (Head head : heads) {
      size += InferMessageWriter.fieldSize(head.size());
    }
    for (Tensor tensor : tensors) {
      size += InferMessageWriter.fieldSize(tensor == null ? 0 : tensor.byteSize());
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
