package dev.sluice.protocol.oip.http.json;

import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.codec.JsonCursor;
import dev.sluice.protocol.oip.SharedMemoryParameters;
import org.jspecify.annotations.Nullable;

/** Reads one object of {@code outputs}. */
final class JsonOutput {
  private final JsonCursor in;
  private @Nullable String name;
  private boolean binary;
  private int best;
  private final SharedMemoryParameters.Reader shared = new SharedMemoryParameters.Reader();

  private JsonOutput(JsonCursor in) {
    this.in = in;
  }

  /**
   * Reads the next value.
   *
   * @throws InferenceException with INVALID_ARGUMENT if it is no output
   */
  static void readInto(OutputForms outputs, JsonCursor in) {
    var output = new JsonOutput(in);
    output.read();
    if (output.name == null) {
      throw JsonFields.missing("outputs", "name");
    }
    outputs.add(output.name, output.binary, output.best);
    SharedMemoryParameters place = output.shared.place();
    if (place != null) {
      outputs.place(output.name, place);
    }
  }

  private void read() {
    JsonFields.beginObject(in, "outputs");
    while (in.nextKey()) {
      if (in.keyIs("name")) {
        name = JsonFields.string(in, "name");
      } else if (in.keyIs("parameters")) {
        parameters();
      } else {
        in.skipValue();
      }
    }
  }

  private void parameters() {
    if (JsonFields.isNull(in)) {
      return;
    }
    JsonFields.beginObject(in, "parameters");
    while (in.nextKey()) {
      if (in.keyIs("binary_data")) {
        binary = JsonFields.bool(in, "binary_data");
      } else if (in.keyIs("classification")) {
        best = (int) Math.min(JsonFields.unsigned(in, "classification"), Integer.MAX_VALUE);
      } else {
        JsonFields.sharedMemory(in, shared);
      }
    }
  }
}
