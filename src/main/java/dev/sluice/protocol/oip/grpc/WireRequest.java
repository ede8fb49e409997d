package dev.sluice.protocol.oip.grpc;

import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.codec.protobuf.ProtobufException;
import dev.sluice.protocol.codec.protobuf.ProtobufReader;
import dev.sluice.protocol.oip.InputHead;
import dev.sluice.protocol.oip.OipRequestChecks;
import dev.sluice.protocol.oip.RequestParameters;
import dev.sluice.protocol.oip.SharedMemoryParameters;
import dev.sluice.transport.Body;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A {@code ModelInferRequest}, its tensors' bytes found and left where they are. Holds nothing that
 * needs to be freed.
 */
final class WireRequest {
  /** Lists of no capacity take one element without room for nine more, which few requests need. */
  private final List<WireInput> inputs = new ArrayList<>(0);

  private final List<String> outputs = new ArrayList<>(0);
  private Map<String, Integer> classes = Map.of();
  private Map<String, SharedMemoryParameters> places = Map.of();
  private final List<Body> rawContents = new ArrayList<>(0);
  private final RequestParameters parameters = new RequestParameters(WireParameter::wrongType);
  private String modelName = "";
  private String modelVersion = "";
  private String id = "";
  private @Nullable InferenceException refusal;

  private WireRequest() {}

  /**
   * Reads a message.
   *
   * @throws InferenceException with INVALID_ARGUMENT if it is malformed or not a request
   */
  static WireRequest read(Body message) {
    WireRequest request = readStreamed(message);
    if (request.refusal != null) {
      throw request.refusal;
    }
    return request;
  }

  /**
   * Reads one of a call's messages, which may have a {@link #refusal}.
   *
   * @throws InferenceException with INVALID_ARGUMENT if it is malformed
   */
  static WireRequest readStreamed(Body message) {
    var request = new WireRequest();
    try {
      request.fields(message);
      return request;
    } catch (ProtobufException e) {
      throw InferMessageTags.malformed(e);
    }
  }

  private void fields(Body message) {
    var in = new ProtobufReader(message);
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      switch (tag) {
        case InferMessageTags.MODEL_NAME -> modelName = in.text();
        case InferMessageTags.MODEL_VERSION -> modelVersion = in.text();
        case InferMessageTags.ID -> id = in.text();
        case InferMessageTags.PARAMETERS,
            InferMessageTags.INPUTS,
            InferMessageTags.OUTPUTS,
            InferMessageTags.RAW_INPUT_CONTENTS ->
            part(tag, in.bytes());
        default -> in.skip(tag);
      }
    }
  }

  /** Behind what is refused only the names of the model and the request are of interest. */
  private void part(int tag, Body bytes) {
    if (refusal != null) {
      return;
    }
    try {
      switch (tag) {
        case InferMessageTags.PARAMETERS -> WireParameter.read(bytes).putInto(parameters);
        case InferMessageTags.INPUTS -> input(bytes);
        case InferMessageTags.OUTPUTS -> output(bytes);
        default -> rawContent(bytes);
      }
    } catch (InferenceException e) {
      refusal = e;
    }
  }

  private void input(Body message) {
    OipRequestChecks.requireCapacity(inputs.size());
    inputs.add(WireInput.read(message));
  }

  private void rawContent(Body bytes) {
    OipRequestChecks.requireCapacity(rawContents.size());
    rawContents.add(bytes);
  }

  private void output(Body message) {
    OipRequestChecks.requireCapacity(outputs.size());
    var in = new ProtobufReader(message);
    String name = "";
    int best = 0;
    var shared = new SharedMemoryParameters.Reader();
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      switch (tag) {
        case InferMessageTags.OUTPUT_NAME -> name = in.text();
        case InferMessageTags.OUTPUT_PARAMETERS -> {
          WireParameter parameter = WireParameter.read(in.bytes());
          parameter.putInto(shared);
          best = parameter.name().equals("classification") ? parameter.classes() : best;
        }
        default -> in.skip(tag);
      }
    }
    outputs.add(name);
    SharedMemoryParameters place = shared.place();
    if (place != null) {
      places = places.isEmpty() ? new HashMap<>() : places;
      places.put(name, place);
    }
    if (best > 0) {
      classes = classes.isEmpty() ? new HashMap<>() : classes;
      classes.put(name, best);
    }
  }

  /**
   * Returns what is wrong with the request, beside which only its names are known; null if it is
   * valid.
   */
  @Nullable InferenceException refusal() {
    return refusal;
  }

  /** By output, how many of its best elements are wanted in place of all. */
  Map<String, Integer> classes() {
    return classes;
  }

  /** By output, where in shared memory it is to go. */
  Map<String, SharedMemoryParameters> places() {
    return places;
  }

  String modelName() {
    return modelName;
  }

  String modelVersion() {
    return modelVersion;
  }

  /** Returns the caller's name for the request; empty if it gave none. */
  String id() {
    return id;
  }

  RequestParameters parameters() {
    return parameters;
  }

  List<WireInput> inputs() {
    return inputs;
  }

  List<InputHead> heads() {
    List<InputHead> heads = new ArrayList<>(inputs.size());
    for (WireInput input : inputs) {
      heads.add(input.head());
    }
    return heads;
  }

  /** Returns the names of the outputs asked for; empty for all. */
  List<String> outputs() {
    return outputs;
  }

  /** Returns the bytes of the inputs, if they were sent raw; else empty. */
  List<Body> rawContents() {
    return rawContents;
  }
}
