package dev.sluice.protocol.oip.grpc;

import static dev.sluice.protocol.codec.protobuf.ProtobufWriter.fieldSize;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.ParameterValue;
import dev.sluice.protocol.codec.protobuf.ProtobufWriter;
import dev.sluice.protocol.oip.Classification;
import dev.sluice.protocol.oip.SharedMemorySlice;
import dev.sluice.protocol.oip.grpc.proto.ModelInferResponse;
import dev.sluice.protocol.oip.grpc.proto.ModelInferResponse.InferOutputTensor;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
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
  private static final byte[] NOTHING = {};

  /** The head of one output's message, and its size in bytes. */
  private static final class Head {
    private final byte[] name;
    private final byte[] datatype;
    private final Shape shape;
    private final int shapeSize;

    /** The entries of the field, as they are written. */
    private final byte[] parameters;

    Head(NamedTensor output, Map<String, ParameterValue> said) {
      parameters = encoded(said);
      name = utf8(output.name());
      datatype = utf8(output.tensor().type().name());
      shape = output.tensor().shape();
      int size = 0;
      for (int i = 0; i < shape.rank(); i++) {
        size += ProtobufWriter.varintSize(shape.dim(i));
      }
      shapeSize = size;
    }

    long size() {
      long shapeField =
          shape.rank() == 0 ? 0 : fieldSize(InferOutputTensor.SHAPE_FIELD_NUMBER, shapeSize);
      return fieldSize(InferOutputTensor.NAME_FIELD_NUMBER, name.length)
          + fieldSize(InferOutputTensor.DATATYPE_FIELD_NUMBER, datatype.length)
          + shapeField
          + parameters.length;
    }

    void write(ProtobufWriter out) {
      out.begin(ModelInferResponse.OUTPUTS_FIELD_NUMBER, size());
      out.bytes(InferOutputTensor.NAME_FIELD_NUMBER, name);
      out.bytes(InferOutputTensor.DATATYPE_FIELD_NUMBER, datatype);
      if (shape.rank() > 0) {
        out.begin(InferOutputTensor.SHAPE_FIELD_NUMBER, shapeSize);
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
    this.name = utf8(response.model().name());
    this.version = utf8(Long.toString(response.model().version()));
    this.id = utf8(id);
    this.parameters = encoded(response.parameters());
    for (NamedTensor output : response.outputs()) {
      SharedMemorySlice slot = slots.get(output.name());
      if (slot != null) {
        slot.write(output.name(), output.tensor());
      }
      heads.add(new Head(output, slot == null ? Map.of() : slot.parameters()));
      tensors.add(slot == null ? output.tensor() : null);
    }
  }

  /**
   * Encodes a response, which stays the caller's.
   *
   * @param classes by output, how many of its best elements are wanted in place of all
   * @param model that has answered
   * @param id the caller's name for the request; empty if it gave none
   * @param slots by output, where in shared memory it goes
   * @throws InferenceException with TOO_LARGE if the message would have 2 GiB or more
   */
  static Buffer encode(
      InferenceResponse response,
      Map<String, Integer> classes,
      ModelMetadata model,
      String id,
      Map<String, SharedMemorySlice> slots) {
    return classes.isEmpty()
        ? encode(response, id, slots)
        : Classification.in(response, classes, model, shown -> encode(shown, id, slots));
  }

  /** Encodes a response with all elements of its outputs, likewise. */
  static Buffer encode(
      InferenceResponse response, String id, Map<String, SharedMemorySlice> slots) {
    return new InferResponseWriter(response, id, slots).encode();
  }

  /** Returns the field of an answer that holds parameters, entry by entry. */
  private static byte[] encoded(Map<String, ParameterValue> parameters) {
    return parameters.isEmpty() ? NOTHING : ResponseParameterFields.encode(parameters);
  }

  private Buffer encode() {
    var out = new ProtobufWriter(requireMessage(size()));
    out.bytes(ModelInferResponse.MODEL_NAME_FIELD_NUMBER, name);
    out.bytes(ModelInferResponse.MODEL_VERSION_FIELD_NUMBER, version);
    if (id.length > 0) {
      out.bytes(ModelInferResponse.ID_FIELD_NUMBER, id);
    }
    out.raw(parameters);
    for (Head head : heads) {
      head.write(out);
    }
    for (Tensor tensor : tensors) {
      // Clients count the contents with the outputs: one that is elsewhere has empty ones.
      if (tensor == null) {
        out.begin(ModelInferResponse.RAW_OUTPUT_CONTENTS_FIELD_NUMBER, 0);
      } else {
        write(tensor, out);
      }
    }
    return out.toBuffer();
  }

  private long size() {
    long size =
        fieldSize(ModelInferResponse.MODEL_NAME_FIELD_NUMBER, name.length)
            + fieldSize(ModelInferResponse.MODEL_VERSION_FIELD_NUMBER, version.length);
    size += id.length == 0 ? 0 : fieldSize(ModelInferResponse.ID_FIELD_NUMBER, id.length);
    size += parameters.length;
    for (Head head : heads) {
      size += fieldSize(ModelInferResponse.OUTPUTS_FIELD_NUMBER, head.size());
    }
    for (Tensor tensor : tensors) {
      size +=
          fieldSize(
              ModelInferResponse.RAW_OUTPUT_CONTENTS_FIELD_NUMBER,
              tensor == null ? 0 : tensor.byteSize());
    }
    return size;
  }

  private static void write(Tensor tensor, ProtobufWriter out) {
    out.bytes(
        ModelInferResponse.RAW_OUTPUT_CONTENTS_FIELD_NUMBER,
        tensor.data(),
        0,
        (int) tensor.byteSize());
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static int requireMessage(long size) {
    if (size > Integer.MAX_VALUE - 8) {
      throw new InferenceException(
          ErrorCode.TOO_LARGE, "the response has " + size + " bytes, more than a message can hold");
    }
    return (int) size;
  }
}
