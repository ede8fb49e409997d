package dev.sluice.protocol.grps.grpc;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.grps.DataForm;
import dev.sluice.protocol.grps.RequestInputs;
import dev.sluice.protocol.grps.SingleInput;
import dev.sluice.protocol.grps.grpc.proto.GrpsMessage;
import dev.sluice.tensor.TensorSpec;
import dev.sluice.transport.Body;
import java.io.IOException;
import java.io.UncheckedIOException;
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
  static WireMessage scan(Body body) throws IOException {
    CodedInputStream in = GrpsWire.open(body);
    String model = "";
    DataForm form = DataForm.NOTHING;
    Body data = Body.EMPTY;
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      DataForm found = form(tag);
      if (found != null) {
        form = found;
        data = GrpsWire.slice(in, body);
      } else if (tag == GrpsWire.lengthDelimited(GrpsMessage.MODEL_FIELD_NUMBER)) {
        model = in.readStringRequireUtf8();
      } else {
        in.skipField(tag);
      }
    }
    return new WireMessage(model, form, data);
  }

  private static @Nullable DataForm form(int tag) {
    if (WireFormat.getTagWireType(tag) != WireFormat.WIRETYPE_LENGTH_DELIMITED) {
      return null;
    }
    return switch (WireFormat.getTagFieldNumber(tag)) {
      case GrpsMessage.BIN_DATA_FIELD_NUMBER -> DataForm.BYTES;
      case GrpsMessage.STR_DATA_FIELD_NUMBER -> DataForm.TEXT;
      case GrpsMessage.GTENSORS_FIELD_NUMBER -> DataForm.TENSORS;
      case GrpsMessage.NDARRAY_FIELD_NUMBER -> DataForm.NDARRAY;
      case GrpsMessage.GMAP_FIELD_NUMBER -> DataForm.MAP;
      default -> null;
    };
  }

  /** Reads the data into the model's inputs. */
  void decode(RequestInputs inputs) {
    inputs.message(form, model);
    try {
      switch (form) {
        case BYTES -> {
          TensorSpec input = inputs.only(form);
          inputs.add(input, SingleInput.raw(input, data));
        }
        case TEXT -> {
          GrpsWire.requireUtf8(data);
          TensorSpec input = inputs.only(form);
          inputs.add(input, SingleInput.text(input, form.field(), data));
        }
        case TENSORS -> WireTensors.read(data, inputs);
        case NDARRAY ->
            throw InferenceException.invalid("ndarray is for JSON only; wanted gtensors");
        case MAP -> WireMaps.read(data, inputs);
        case NOTHING -> inputs.requireNone();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
