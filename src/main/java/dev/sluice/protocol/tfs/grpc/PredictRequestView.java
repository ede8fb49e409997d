package dev.sluice.protocol.tfs.grpc;

import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.tfs.grpc.wire.ModelSpecReader;
import dev.sluice.protocol.tfs.grpc.wire.RequestedModel;
import dev.sluice.protocol.tfs.grpc.wire.TensorScanner;
import dev.sluice.protocol.tfs.grpc.wire.WireReader;
import dev.sluice.transport.Body;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A PredictRequest whose tensors still are bytes of the message.
 *
 * @param model the model that is asked
 * @param inputs the TensorProtos by name
 * @param outputFilter the wanted outputs; empty for all
 */
record PredictRequestView(
    RequestedModel model, Map<String, Body> inputs, List<String> outputFilter) {
  private static final int MODEL_SPEC = 1 << 3 | 2;
  private static final int INPUTS = 2 << 3 | 2;
  private static final int OUTPUT_FILTER = 3 << 3 | 2;
  private static final int KEY = 1 << 3 | 2;
  private static final int VALUE = 2 << 3 | 2;

  /** The fields that lead to the raw bytes of a tensor. */
  static final int[] TENSOR_CONTENT = {INPUTS, VALUE, TensorScanner.TENSOR_CONTENT};

  /**
   * Reads a message.
   *
   * @throws InferenceException with INVALID_ARGUMENT if it is none, or names no model
   */
  static PredictRequestView read(Body message) {
    try {
      return readFields(message);
    } catch (IOException e) {
      throw InferenceException.invalid("the message is not a PredictRequest: " + e.getMessage());
    }
  }

  private static PredictRequestView readFields(Body message) throws IOException {
    var spec = new ModelSpecReader();
    Map<String, Body> inputs = new LinkedHashMap<>();
    List<String> outputFilter = new ArrayList<>();
    var reader = new WireReader(message);
    for (int tag = reader.tag(); tag != 0; tag = reader.tag()) {
      switch (tag) {
        case MODEL_SPEC -> spec.add(reader.bytes());
        case INPUTS -> readInput(reader.bytes(), inputs);
        case OUTPUT_FILTER -> outputFilter.add(reader.text());
        default -> reader.skip(tag);
      }
    }
    return new PredictRequestView(spec.get(), inputs, outputFilter);
  }

  /** Reads an entry of the map. As in any map on this wire, the last of equal keys counts. */
  private static void readInput(Body entry, Map<String, Body> inputs) throws IOException {
    String name = "";
    Body tensor = Body.EMPTY;
    var reader = new WireReader(entry);
    for (int tag = reader.tag(); tag != 0; tag = reader.tag()) {
      switch (tag) {
        case KEY -> name = reader.text();
        case VALUE -> tensor = onlyValue(name, tensor, reader.bytes());
        default -> reader.skip(tag);
      }
    }
    inputs.put(name, tensor);
  }

  /**
   * Two values of one entry would have to be merged; no client sends that, and half of it would be
   * a wrong answer.
   */
  private static Body onlyValue(String name, Body first, Body next) {
    if (first.length() > 0) {
      throw InferenceException.invalid("input \"" + name + "\" has two values, wanted one");
    }
    return next;
  }
}
