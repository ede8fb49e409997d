package dev.sluice.protocol.grps.grpc;

import static dev.sluice.protocol.codec.protobuf.ProtobufTag.DELIMITED;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.codec.protobuf.ProtobufException;
import dev.sluice.protocol.codec.protobuf.ProtobufReader;
import dev.sluice.protocol.codec.protobuf.ProtobufTag;
import dev.sluice.protocol.grps.DataForm;
import dev.sluice.protocol.grps.RequestInputs;
import dev.sluice.protocol.grps.SingleInput;
import dev.sluice.protocol.grps.grpc.proto.GenericTensor;
import dev.sluice.protocol.grps.grpc.proto.GenericTensorData;
import dev.sluice.protocol.grps.grpc.proto.GrpsMessage;
import dev.sluice.tensor.TensorSpec;
import dev.sluice.transport.Body;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A GrpsMessage in its bytes, looked through once: the model must be known before values can be
 * read into its tensors, and fields may come in any order. Of several data fields the last one
 * counts, as protobuf has it; a message may have none.
 *
 * @param model the model's name; empty if there is none
 * @param form which field holds the data
 * @param data the bytes of that field
 */
record WireMessage(String model, DataForm form, Body data) {
  private static final int MODEL = GrpsMessage.MODEL_FIELD_NUMBER << 3 | DELIMITED;

  /** The fields that lead to values which lie in the message as they do in a tensor. */
  static final List<int[]> TENSOR_PATHS =
      List.of(
          list(GenericTensor.FLAT_FLOAT32_FIELD_NUMBER),
          list(GenericTensor.FLAT_FLOAT64_FIELD_NUMBER),
          new int[] {ProtobufTag.delimited(GrpsMessage.BIN_DATA_FIELD_NUMBER)});

  private static int[] list(int field) {
    return new int[] {
      ProtobufTag.delimited(GrpsMessage.GTENSORS_FIELD_NUMBER),
      ProtobufTag.delimited(GenericTensorData.TENSORS_FIELD_NUMBER),
      ProtobufTag.delimited(field)
    };
  }

  /**
   * Looks a message through.
   *
   * @throws ProtobufException if it is none
   */
  static WireMessage scan(Body body) {
    var in = new ProtobufReader(body);
    String model = "";
    DataForm form = DataForm.NOTHING;
    Body data = Body.EMPTY;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      DataForm found = form(tag);
      if (found != null) {
        form = found;
        data = in.bytes();
      } else if (tag == MODEL) {
        model = in.text();
      } else {
        in.skip(tag);
      }
    }
    return new WireMessage(model, form, data);
  }

  private static @Nullable DataForm form(int tag) {
    if (ProtobufTag.form(tag) != DELIMITED) {
      return null;
    }
    return switch (ProtobufTag.field(tag)) {
      case GrpsMessage.BIN_DATA_FIELD_NUMBER -> DataForm.BYTES;
      case GrpsMessage.STR_DATA_FIELD_NUMBER -> DataForm.TEXT;
      case GrpsMessage.GTENSORS_FIELD_NUMBER -> DataForm.TENSORS;
      case GrpsMessage.NDARRAY_FIELD_NUMBER -> DataForm.NDARRAY;
      case GrpsMessage.GMAP_FIELD_NUMBER -> DataForm.MAP;
      default -> null;
    };
  }

  /**
   * Reads the data into the model's inputs.
   *
   * @throws ProtobufException if it is malformed
   */
  void decode(RequestInputs inputs) {
    inputs.message(form, model);
    switch (form) {
      case BYTES -> {
        TensorSpec input = inputs.only(form);
        inputs.add(input, SingleInput.raw(input, data));
      }
      case TEXT -> {
        requireUtf8(data);
        TensorSpec input = inputs.only(form);
        inputs.add(input, SingleInput.text(input, form.field(), data));
      }
      case TENSORS -> WireTensors.read(data, inputs);
      case NDARRAY -> throw InferenceException.invalid("ndarray is for JSON only; wanted gtensors");
      case MAP -> WireMaps.read(data, inputs);
      case NOTHING -> inputs.requireNone();
    }
  }

  /** Requires what protobuf requires of every string. */
  static void requireUtf8(Body text) {
    ByteString bytes =
        text.block() == null
            ? UnsafeByteOperations.unsafeWrap(text.bytes(), text.offset(), text.length())
            : UnsafeByteOperations.unsafeWrap(text.segment().asByteBuffer());
    if (!bytes.isValidUtf8()) {
      throw new ProtobufException("a text is not UTF-8");
    }
  }
}
