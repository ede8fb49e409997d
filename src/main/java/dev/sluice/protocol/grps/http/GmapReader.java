package dev.sluice.protocol.grps.http;

import dev.sluice.protocol.codec.JsonCursor;
import dev.sluice.protocol.grps.MapKind;
import dev.sluice.protocol.grps.RequestInputs;
import dev.sluice.protocol.grps.SingleInput;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorSpec;
import dev.sluice.transport.Body;
import java.util.Base64;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/** Reads {@code gmap}: each entry is the one value of the input it is named after. */
record GmapReader(JsonCursor in, RequestInputs inputs) {
  /** Reads the next value as a tensor for an input. */
  private interface EntryReader {
    /** Reads the tensor of an entry, which the caller owns. */
    Tensor read(TensorSpec input, String place);
  }

  void read() {
    GrpsJson.requireObject(in, "gmap");
    in.beginObject();
    while (in.nextKey()) {
      if (!GrpsJson.isPresent(in)) {
        in.skipValue();
      } else if (GrpsJson.keyIs(in, "s_s", "sS")) {
        readMap(MapKind.TEXT, this::text);
      } else if (GrpsJson.keyIs(in, "s_b", "sB")) {
        readMap(MapKind.BYTES, this::bytes);
      } else if (GrpsJson.keyIs(in, "s_i32", "sI32")) {
        readMap(MapKind.INT32, this::int32);
      } else if (GrpsJson.keyIs(in, "s_i64", "sI64")) {
        readMap(MapKind.INT64, this::int64);
      } else if (GrpsJson.keyIs(in, "s_f", "sF")) {
        readMap(MapKind.SINGLE, this::number);
      } else if (GrpsJson.keyIs(in, "s_d", "sD")) {
        readMap(MapKind.DOUBLE, this::number);
      } else {
        in.skipValue();
      }
    }
  }

  private void readMap(MapKind kind, EntryReader reader) {
    String map = "gmap." + kind.field();
    GrpsJson.requireObject(in, map);
    in.beginObject();
    while (in.nextKey()) {
      if (GrpsJson.isPresent(in)) {
        String key = in.key();
        TensorSpec input = inputs.entry(key, kind);
        inputs.addEntry(kind, input, reader.read(input, map + "." + key));
      } else {
        in.skipValue();
      }
    }
  }

  private Tensor text(TensorSpec input, String place) {
    return SingleInput.text(input, place, GrpsValueReader.text(in, place));
  }

  private Tensor bytes(TensorSpec input, String place) {
    int before = in.position();
    String encoded = GrpsJson.text(in, place);
    try {
      return SingleInput.text(input, place, Body.of(decoder(encoded).decode(encoded)));
    } catch (IllegalArgumentException e) {
      in.seek(before);
      throw GrpsJson.wrong(in, place, "base64");
    }
  }

  /** Clients send either alphabet. */
  private static Base64.Decoder decoder(String encoded) {
    boolean forUrls = encoded.indexOf('-') >= 0 || encoded.indexOf('_') >= 0;
    return forUrls ? Base64.getUrlDecoder() : Base64.getDecoder();
  }

  private Tensor int32(TensorSpec input, String place) {
    int before = in.position();
    OptionalLong value = GrpsValueReader.integer(in);
    if (value.isEmpty() || value.getAsLong() != (int) value.getAsLong()) {
      in.seek(before);
      throw GrpsJson.wrong(in, place, "a whole number of 32 bits");
    }
    return SingleInput.integer(input, place, value.getAsLong());
  }

  private Tensor int64(TensorSpec input, String place) {
    int before = in.position();
    OptionalLong value = GrpsValueReader.integer(in);
    if (value.isEmpty()) {
      in.seek(before);
      throw GrpsJson.wrong(in, place, "a whole number of 64 bits");
    }
    return SingleInput.integer(input, place, value.getAsLong());
  }

  private Tensor number(TensorSpec input, String place) {
    int before = in.position();
    OptionalDouble value = GrpsValueReader.number(in);
    if (value.isEmpty()) {
      in.seek(before);
      throw GrpsJson.wrong(in, place, "a number");
    }
    return SingleInput.number(input, place, value.getAsDouble());
  }
}
