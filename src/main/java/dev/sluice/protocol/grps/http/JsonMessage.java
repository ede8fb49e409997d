package dev.sluice.protocol.grps.http;

import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.codec.JsonCursor;
import dev.sluice.protocol.codec.JsonException;
import dev.sluice.protocol.grps.DataForm;
import dev.sluice.protocol.grps.RequestInputs;
import dev.sluice.transport.Body;
import org.jspecify.annotations.Nullable;

/**
 * A predict request in JSON, looked through once: the model must be known before values can be read
 * into its tensors, and its name may stand behind them. Unknown keys are ignored, null is as good
 * as absent, and exactly one key holds data.
 *
 * @param model the model's name; empty if there is none
 * @param form which key holds the data
 * @param cursor goes through the text
 * @param position where the data is
 * @param streaming whether a stream is asked for
 */
record JsonMessage(
    String model, DataForm form, JsonCursor cursor, int position, boolean streaming) {
  /**
   * @param streamKey the member that asks for a stream; empty if none does
   */
  static JsonMessage scan(Body body, String streamKey) {
    try {
      return scan(new JsonCursor(body), streamKey);
    } catch (JsonException e) {
      throw GrpsJson.malformed(e);
    }
  }

  private static JsonMessage scan(JsonCursor in, String streamKey) {
    if (in.peek() != JsonCursor.Kind.OBJECT) {
      throw GrpsJson.wrong(in, "Parse json failed. The request", "an object");
    }
    String model = "";
    @Nullable DataForm form = null;
    int position = 0;
    boolean streaming = false;
    in.beginObject();
    while (in.nextKey()) {
      DataForm data = dataKey(in);
      boolean present = GrpsJson.isPresent(in);
      if (data != null && present) {
        form = only(form, data);
        position = in.position();
        in.skipValue();
      } else if (!streamKey.isEmpty() && in.keyIs(streamKey)) {
        streaming = in.peek() == JsonCursor.Kind.TRUE;
        in.skipValue();
      } else if (present && in.keyIs("model")) {
        model = GrpsJson.text(in, "model");
      } else {
        in.skipValue();
      }
    }
    in.finish();
    return new JsonMessage(model, required(form), in, position, streaming);
  }

  private static @Nullable DataForm dataKey(JsonCursor in) {
    if (GrpsJson.keyIs(in, "str_data", "strData")) {
      return DataForm.TEXT;
    }
    if (in.keyIs("gtensors")) {
      return DataForm.TENSORS;
    }
    if (in.keyIs("ndarray")) {
      return DataForm.NDARRAY;
    }
    if (in.keyIs("gmap")) {
      return DataForm.MAP;
    }
    return GrpsJson.keyIs(in, "bin_data", "binData") ? DataForm.BYTES : null;
  }

  private static DataForm only(@Nullable DataForm earlier, DataForm form) {
    if (earlier != null && earlier != form) {
      throw InferenceException.invalid(
          "got both %s and %s, wanted one of str_data, gtensors, ndarray and gmap"
              .formatted(earlier.field(), form.field()));
    }
    return form;
  }

  private static DataForm required(@Nullable DataForm form) {
    if (form == null) {
      throw InferenceException.invalid(
          "Have no legal member in json body. Wanted one of str_data, gtensors, ndarray and gmap");
    }
    if (form == DataForm.BYTES) {
      throw InferenceException.invalid("bin_data should use application/octet-stream format.");
    }
    return form;
  }

  /** Reads the data into the model's inputs. */
  void decode(RequestInputs inputs) {
    inputs.message(form, model);
    cursor.seek(position);
    try {
      switch (form) {
        case TEXT -> GrpsValueReader.text(cursor, inputs);
        case TENSORS -> new GtensorsReader(cursor, inputs).read();
        case NDARRAY -> new NdArrayReader(cursor, inputs).read();
        case MAP -> new GmapReader(cursor, inputs).read();
        case BYTES, NOTHING -> throw new IllegalStateException("JSON has " + form);
      }
    } catch (JsonException e) {
      throw GrpsJson.malformed(e);
    }
  }
}
