package dev.sluice.protocol.oip.grpc;

import com.google.protobuf.CodedInputStream;
import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.oip.InputHead;
import dev.sluice.protocol.oip.RequestChecks;
import dev.sluice.protocol.oip.RequestParameters;
import dev.sluice.protocol.oip.SharedPlace;
import dev.sluice.transport.Body;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A {@code ModelInferRequest}, its tensors' bytes found and left where they are. Holds nothing that
 * needs to be freed.
 */
final class WireRequest {
  private static final int OUTPUT_NAME = Wire.NAME;

  private final List<WireInput> inputs = new ArrayList<>();
  private final List<String> outputs = new ArrayList<>();
  private final Map<String, Integer> classes = new HashMap<>(0);
  private final Map<String, SharedPlace> places = new HashMap<>(0);
  private final List<Body> rawContents = new ArrayList<>();
  private final RequestParameters parameters = new RequestParameters(WireParameter::wrongType);
  private String modelName = "";
  private String modelVersion = "";
  private String id = "";

  private WireRequest() {}

  /**
   * Reads a message.
   *
   * @throws InferenceException with INVALID_ARGUMENT if it is malformed or not a request
   */
  static WireRequest read(Body message) {
    var request = new WireRequest();
    try {
      request.fields(message);
      return request;
    } catch (IOException e) {
      throw Wire.malformed(e);
    }
  }

  private void fields(Body message) throws IOException {
    CodedInputStream in = Wire.open(message);
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      switch (tag) {
        case Wire.MODEL_NAME -> modelName = in.readStringRequireUtf8();
        case Wire.MODEL_VERSION -> modelVersion = in.readStringRequireUtf8();
        case Wire.ID -> id = in.readStringRequireUtf8();
        case Wire.PARAMETERS -> WireParameter.read(Wire.slice(in, message)).putInto(parameters);
        case Wire.INPUTS -> input(Wire.slice(in, message));
        case Wire.OUTPUTS -> output(Wire.slice(in, message));
        case Wire.RAW_INPUT_CONTENTS -> rawContent(Wire.slice(in, message));
        default -> Wire.skip(in, tag);
      }
    }
  }

  private void input(Body message) throws IOException {
    RequestChecks.requireRoom(inputs.size());
    inputs.add(new WireInputReader(message).read());
  }

  private void rawContent(Body bytes) {
    RequestChecks.requireRoom(rawContents.size());
    rawContents.add(bytes);
  }

  private void output(Body message) throws IOException {
    RequestChecks.requireRoom(outputs.size());
    CodedInputStream in = Wire.open(message);
    String name = "";
    int best = 0;
    var shared = new SharedPlace.Reader();
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      switch (tag) {
        case OUTPUT_NAME -> name = in.readStringRequireUtf8();
        case Wire.OUTPUT_PARAMETERS -> {
          WireParameter parameter = WireParameter.read(Wire.slice(in, message));
          parameter.putInto(shared);
          best = parameter.name().equals("classification") ? parameter.classes() : best;
        }
        default -> Wire.skip(in, tag);
      }
    }
    outputs.add(name);
    SharedPlace place = shared.place();
    if (place != null) {
      places.put(name, place);
    }
    if (best > 0) {
      classes.put(name, best);
    }
  }

  /** By output, how many of its best elements are wanted in place of all. */
  Map<String, Integer> classes() {
    return classes;
  }

  /** By output, where in shared memory it is to go. */
  Map<String, SharedPlace> places() {
    return places;
  }

  String modelName() {
    return modelName;
  }

  String modelVersion() {
    return modelVersion;
  }

  /** The caller's name for the request; empty if it gave none. */
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

  /** The names of the outputs asked for; empty for all. */
  List<String> outputs() {
    return outputs;
  }

  /** The bytes of the inputs, if they were sent raw; else empty. */
  List<Body> rawContents() {
    return rawContents;
  }
}
