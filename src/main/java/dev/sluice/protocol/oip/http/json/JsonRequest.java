package dev.sluice.protocol.oip.http.json;

import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.oip.InputHead;
import dev.sluice.protocol.oip.OipRequestChecks;
import dev.sluice.tensor.Tensor;
import dev.sluice.transport.Body;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The JSON of an inference request, read in one pass: values of inputs go straight into tensors,
 * which this object owns until {@link #close}.
 */
public final class JsonRequest extends JsonRequestBody {
  private final List<JsonInput> inputs = new ArrayList<>(0);
  private final OutputForms outputs = new OutputForms();
  private boolean hasInputs;

  private JsonRequest(Body json) {
    super(json);
  }

  /**
   * Reads a request.
   *
   * @throws InferenceException with INVALID_ARGUMENT if it is not JSON, or not a request
   */
  public static JsonRequest read(Body json) {
    var request = new JsonRequest(json);
    request.readWhole();
    return request;
  }

  /** Returns the inputs, in the order of the request. */
  public List<JsonInput> inputs() {
    return inputs;
  }

  /** Returns the heads of the inputs, in the order of the request. */
  public List<InputHead> heads() {
    List<InputHead> heads = new ArrayList<>(inputs.size());
    for (JsonInput input : inputs) {
      heads.add(input.head());
    }
    return heads;
  }

  /** Returns the forms in which outputs were asked for. */
  public OutputForms outputs() {
    return outputs;
  }

  @Override
  protected void closeTensors() {
    for (JsonInput input : inputs) {
      @Nullable Tensor values = input.values();
      if (values != null) {
        values.close();
      }
    }
  }

  @Override
  protected void read() {
    JsonFields.beginObject(in, "request");
    while (in.nextKey()) {
      member();
    }
    in.finish();
    if (!hasInputs) {
      throw JsonFields.missing("inputs", "inputs");
    }
    outputs.binaryByDefault(parameters().binaryOutput());
  }

  private void member() {
    if (in.keyIs("inputs")) {
      readInputs();
    } else if (in.keyIs("outputs")) {
      readOutputs();
    } else if (in.keyIs("id")) {
      id(JsonFields.isNull(in) ? "" : JsonFields.string(in, "id"));
    } else if (in.keyIs("parameters")) {
      readParameters();
    } else {
      in.skipValue();
    }
  }

  private void readInputs() {
    if (hasInputs) {
      throw InferenceException.invalid("Unable to parse 'inputs': there is more than one");
    }
    hasInputs = true;
    JsonFields.beginArray(in, "inputs");
    while (in.nextElement()) {
      OipRequestChecks.requireCapacity(inputs.size());
      try (var reader = new JsonInputReader(in, inputs.size())) {
        inputs.add(reader.read());
      }
    }
  }

  private void readOutputs() {
    if (JsonFields.isNull(in)) {
      return;
    }
    JsonFields.beginArray(in, "outputs");
    while (in.nextElement()) {
      OipRequestChecks.requireCapacity(outputs.names().size());
      JsonOutput.readInto(outputs, in);
    }
  }

  private void readParameters() {
    if (JsonFields.isNull(in)) {
      return;
    }
    JsonFields.beginObject(in, "parameters");
    while (in.nextKey()) {
      JsonParameters.readInto(parameters(), in.key(), in);
    }
  }
}
