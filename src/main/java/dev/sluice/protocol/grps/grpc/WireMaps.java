package dev.sluice.protocol.grps.grpc;

import static dev.sluice.protocol.codec.protobuf.ProtobufTag.DELIMITED;
import static dev.sluice.protocol.codec.protobuf.ProtobufTag.FIXED32;
import static dev.sluice.protocol.codec.protobuf.ProtobufTag.FIXED64;
import static dev.sluice.protocol.codec.protobuf.ProtobufTag.KEY_FIELD;
import static dev.sluice.protocol.codec.protobuf.ProtobufTag.VALUE_FIELD;
import static dev.sluice.protocol.codec.protobuf.ProtobufTag.VARINT;

import dev.sluice.protocol.codec.protobuf.ProtobufReader;
import dev.sluice.protocol.codec.protobuf.ProtobufTag;
import dev.sluice.protocol.grps.MapKind;
import dev.sluice.protocol.grps.RequestInputs;
import dev.sluice.protocol.grps.SingleInput;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorSpec;
import dev.sluice.transport.Body;

/**
 * Reads a GenericMapData: each entry is the one value of the input it is named after. A map entry
 * is a message of a key, field 1, and a value, field 2, either of which may be left out.
 */
final class WireMaps {
  private static final int KEY = KEY_FIELD << 3 | DELIMITED;

  private final RequestInputs inputs;

  private WireMaps(RequestInputs inputs) {
    this.inputs = inputs;
  }

  static void read(Body data, RequestInputs inputs) {
    var maps = new WireMaps(inputs);
    var in = new ProtobufReader(data);
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      if (!maps.readEntry(in, tag)) {
        in.skip(tag);
      }
    }
  }

  private boolean readEntry(ProtobufReader in, int tag) {
    for (MapKind kind : MapKind.values()) {
      if (tag == ProtobufTag.delimited(kind.number())) {
        readEntry(kind, in.bytes());
        return true;
      }
    }
    return false;
  }

  private void readEntry(MapKind kind, Body entry) {
    String key = "";
    Body value = Body.EMPTY;
    var in = new ProtobufReader(entry);
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      if (tag == KEY) {
        key = in.text();
      } else if (tag == valueTag(kind)) {
        value = value(kind, in, entry);
      } else {
        in.skip(tag);
      }
    }
    TensorSpec input = inputs.entry(key, kind);
    inputs.addEntry(kind, input, tensor(kind, input, value));
  }

  private static int valueTag(MapKind kind) {
    return switch (kind) {
      case TEXT, BYTES -> VALUE_FIELD << 3 | DELIMITED;
      case INT32, INT64 -> VALUE_FIELD << 3 | VARINT;
      case SINGLE -> VALUE_FIELD << 3 | FIXED32;
      case DOUBLE -> VALUE_FIELD << 3 | FIXED64;
    };
  }

  /** Returns the bytes of an entry's value, without a length in front. */
  private static Body value(MapKind kind, ProtobufReader in, Body entry) {
    if (kind == MapKind.TEXT || kind == MapKind.BYTES) {
      return in.bytes();
    }
    int from = (int) in.position();
    in.skip(valueTag(kind));
    return entry.slice(from, (int) in.position() - from);
  }

  private static Tensor tensor(MapKind kind, TensorSpec input, Body value) {
    String place = "gmap." + kind.field() + "." + input.name();
    var in = new ProtobufReader(value);
    boolean absent = value.length() == 0;
    return switch (kind) {
      case TEXT -> {
        WireMessage.requireUtf8(value);
        yield SingleInput.text(input, place, value);
      }
      case BYTES -> SingleInput.text(input, place, value);
      case INT32 -> SingleInput.integer(input, place, absent ? 0 : in.varint32());
      case INT64 -> SingleInput.integer(input, place, absent ? 0 : in.varint());
      case SINGLE ->
          SingleInput.number(input, place, absent ? 0 : Float.intBitsToFloat(in.fixed32()));
      case DOUBLE ->
          SingleInput.number(input, place, absent ? 0 : Double.longBitsToDouble(in.fixed64()));
    };
  }
}
