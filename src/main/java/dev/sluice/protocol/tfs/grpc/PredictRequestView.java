package dev.sluice.protocol.tfs.grpc;

import static dev.sluice.protocol.codec.protobuf.ProtobufTag.DELIMITED;
import static dev.sluice.protocol.codec.protobuf.ProtobufTag.KEY_FIELD;
import static dev.sluice.protocol.codec.protobuf.ProtobufTag.VALUE_FIELD;

import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.codec.protobuf.ProtobufException;
import dev.sluice.protocol.codec.protobuf.ProtobufReader;
import dev.sluice.protocol.tfs.grpc.proto.PredictRequest;
import dev.sluice.protocol.tfs.grpc.wire.ModelSpecReader;
import dev.sluice.protocol.tfs.grpc.wire.RequestedModel;
import dev.sluice.protocol.tfs.grpc.wire.TensorScanner;
import dev.sluice.transport.Body;
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
  private static final int MODEL_SPEC = PredictRequest.MODEL_SPEC_FIELD_NUMBER << 3 | DELIMITED;
  private static final int INPUTS = PredictRequest.INPUTS_FIELD_NUMBER << 3 | DELIMITED;
  private static final int OUTPUT_FILTER =
      PredictRequest.OUTPUT_FILTER_FIELD_NUMBER << 3 | DELIMITED;
  private static final int KEY = KEY_FIELD << 3 | DELIMITED;
  private static final int VALUE = VALUE_FIELD << 3 | DELIMITED;

  /** The fields that lead to the raw bytes of a tensor. */
  static final List<int[]> TENSOR_CONTENT =
      List.of(new int[] {INPUTS, VALUE, TensorScanner.TENSOR_CONTENT});

  /**
   * Reads a message.
   *
   * @throws InferenceException with INVALID_ARGUMENT if it is none, or names no model
   */
  static PredictRequestView read(Body message) {
    try {
      return readFields(message);
    } catch (ProtobufException e) {
      throw InferenceException.invalid("the message is not a PredictRequest: " + e.getMessage());
    }
  }

  private static PredictRequestView readFields(Body message) {
    var spec = new ModelSpecReader();
    Map<String, Body> inputs = new LinkedHashMap<>();
    List<String> outputFilter = new ArrayList<>();
    var reader = new ProtobufReader(message);
    for (int tag = reader.tag(); tag != 0; tag = reader.tag()) {
      switch (tag) {
        case MODEL_SPEC -> spec.add(reader.bytes());
        case INPUTS -> {
          TfsRequestChecks.requireCapacity("inputs", inputs.size());
          readInput(reader.bytes(), inputs);
        }
        case OUTPUT_FILTER -> {
          TfsRequestChecks.requireCapacity("wanted outputs", outputFilter.size());
          outputFilter.add(reader.text());
        }
        default -> reader.skip(tag);
      }
    }
    return new PredictRequestView(spec.get(), inputs, outputFilter);
  }

  /** Reads an entry of the map. As in any map on this wire, the last of equal keys counts. */
  private static void readInput(Body entry, Map<String, Body> inputs) {
    String name = "";
    Body tensor = Body.EMPTY;
    var reader = new ProtobufReader(entry);
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
