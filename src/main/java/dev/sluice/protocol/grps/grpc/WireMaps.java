package dev.sluice.protocol.grps.grpc;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import dev.sluice.protocol.grps.MapKind;
import dev.sluice.protocol.grps.RequestInputs;
import dev.sluice.protocol.grps.SingleInput;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorSpec;
import dev.sluice.transport.Body;
import java.io.IOException;

/**
 * Reads a GenericMapData: each entry is the one value of the input it is named after. A map entry
 * is a message of a key, field 1, and a value, field 2, either of which may be left out.
 */
final class WireMaps {
  private static final int KEY = GrpsWire.lengthDelimited(1);
  private static final int VALUE_FIELD = 2;

  private final RequestInputs inputs;

  private WireMaps(RequestInputs inputs) {
    this.inputs = inputs;
  }

  static void read(Body data, RequestInputs inputs) throws IOException {
    var maps = new WireMaps(inputs);
    CodedInputStream in = GrpsWire.open(data);
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      if (!maps.readEntry(in, tag, data)) {
        in.skipField(tag);
      }
    }
  }

  private boolean readEntry(CodedInputStream in, int tag, Body data) throws IOException {
    for (MapKind kind : MapKind.values()) {
      if (tag == GrpsWire.lengthDelimited(kind.number())) {
        readEntry(kind, GrpsWire.slice(in, data));
        return true;
      }
    }
    return false;
  }

  private void readEntry(MapKind kind, Body entry) throws IOException {
    String key = "";
    Body value = Body.EMPTY;
    CodedInputStream in = GrpsWire.open(entry);
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      if (tag == KEY) {
        key = in.readStringRequireUtf8();
      } else if (tag == valueTag(kind)) {
        value = value(kind, in, entry);
      } else {
        in.skipField(tag);
      }
    }
    TensorSpec input = inputs.entry(key, kind);
    inputs.addEntry(kind, input, tensor(kind, input, value));
  }

  private static int valueTag(MapKind kind) {
    return switch (kind) {
      case TEXT, BYTES -> GrpsWire.lengthDelimited(VALUE_FIELD);
      case INT32, INT64 -> GrpsWire.varint(VALUE_FIELD);
      case SINGLE -> (VALUE_FIELD << 3) | WireFormat.WIRETYPE_FIXED32;
      case DOUBLE -> (VALUE_FIELD << 3) | WireFormat.WIRETYPE_FIXED64;
    };
  }

  /** Returns the bytes of an entry's value, without a length in front. */
  private static Body value(MapKind kind, CodedInputStream in, Body entry) throws IOException {
    if (kind == MapKind.TEXT || kind == MapKind.BYTES) {
      return GrpsWire.slice(in, entry);
    }
    int from = in.getTotalBytesRead();
    in.skipField(valueTag(kind));
    return entry.slice(from, in.getTotalBytesRead() - from);
  }

  private static Tensor tensor(MapKind kind, TensorSpec input, Body value) throws IOException {
    String place = "gmap." + kind.field() + "." + input.name();
    CodedInputStream in = GrpsWire.open(value);
    boolean absent = value.length() == 0;
    return switch (kind) {
      case TEXT -> {
        GrpsWire.requireUtf8(value);
        yield SingleInput.text(input, place, value);
      }
      case BYTES -> SingleInput.text(input, place, value);
      case INT32 -> SingleInput.integer(input, place, absent ? 0 : in.readInt32());
      case INT64 -> SingleInput.integer(input, place, absent ? 0 : in.readInt64());
      case SINGLE -> SingleInput.number(input, place, absent ? 0 : in.readFloat());
      case DOUBLE -> SingleInput.number(input, place, absent ? 0 : in.readDouble());
    };
  }
}
