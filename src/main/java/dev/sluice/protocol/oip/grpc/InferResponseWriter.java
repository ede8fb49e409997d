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

  /** The head of one output's message, its size in bytes, and the tensor behind all heads. */
  private static final class Output {
    private final byte[] name;
    private final byte[] datatype;
    private final Shape shape;
    private final int shapeSize;

    /** The entries of the field, as they are written. */
    private final byte[] parameters;

    /** What is sent; null for an output that went to shared memory. */
    private final @Nullable Tensor contents;

    Output(NamedTensor output, @Nullable SharedMemorySlice slot) {
      contents = slot == null ? output.tensor() : null;
      parameters = slot == null ? NOTHING : encoded(slot.parameters());
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

    /** Clients count the contents with the outputs: one that is elsewhere has empty ones. */
    void writeContents(ProtobufWriter out) {
      int field = ModelInferResponse.RAW_OUTPUT_CONTENTS_FIELD_NUMBER;
      if (contents == null) {
        out.begin(field, 0);
      } else {
        out.bytes(field, contents.data(), 0, (int) contents.byteSize());
      }
    }
  }

  private final byte[] name;
  private final byte[] version;
  private final byte[] id;

  /** The entries of the field, as they are written. */
  private final byte[] parameters;

  private final List<Output> outputs;

  private InferResponseWriter(
      InferenceResponse response, String id, Map<String, SharedMemorySlice> slots) {
    this.name = utf8(response.model().name());
    this.version = utf8(Long.toString(response.model().version()));
    this.id = utf8(id);
    this.parameters = encoded(response.parameters());
    this.outputs = new ArrayList<>(response.outputs().size());
    for (NamedTensor output : response.outputs()) {
      SharedMemorySlice slot = slots.get(output.name());
      if (slot != null) {
        slot.write(output.name(), output.tensor());
      }
      outputs.add(new Output(output, slot));
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
    for (Output output : outputs) {
      output.write(out);
    }
    for (Output output : outputs) {
      output.writeContents(out);
    }
    return out.toBuffer();
  }

  private long size() {
    long size =
        fieldSize(ModelInferResponse.MODEL_NAME_FIELD_NUMBER, name.length)
            + fieldSize(ModelInferResponse.MODEL_VERSION_FIELD_NUMBER, version.length);
    size += id.length == 0 ? 0 : fieldSize(ModelInferResponse.ID_FIELD_NUMBER, id.length);
    size += parameters.length;
    for (Output output : outputs) {
      size += fieldSize(ModelInferResponse.OUTPUTS_FIELD_NUMBER, output.size());
      size +=
          fieldSize(
              ModelInferResponse.RAW_OUTPUT_CONTENTS_FIELD_NUMBER,
              output.contents == null ? 0 : output.contents.byteSize());
    }
    return size;
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
