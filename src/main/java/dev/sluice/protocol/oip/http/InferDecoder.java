package dev.sluice.protocol.oip.http;

import dev.sluice.inference.Deadline;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.ParameterValue;
import dev.sluice.inference.RequestOptions;
import dev.sluice.inference.SequenceStep;
import dev.sluice.inference.Signature;
import dev.sluice.protocol.oip.Classification;
import dev.sluice.protocol.oip.InputHead;
import dev.sluice.protocol.oip.OipModels;
import dev.sluice.protocol.oip.OipRequestChecks;
import dev.sluice.protocol.oip.OipServer;
import dev.sluice.protocol.oip.RawInputs;
import dev.sluice.protocol.oip.SharedMemory;
import dev.sluice.protocol.oip.http.json.JsonInput;
import dev.sluice.protocol.oip.http.json.JsonRequest;
import dev.sluice.protocol.oip.http.json.OutputForms;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Tensor;
import dev.sluice.transport.Body;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Turns the body of an inference request into tensors for the model it is meant for.
 *
 * @param server whose clock measures timeouts
 * @param model the lease; goes into the decoded request, and stays the caller's if decoding fails
 * @param deadline until when the answer is wanted if the body does not say
 * @param requestId for logs
 * @param headers that are parameters too
 * @param memory that the caller shares; null where none is served
 */
record InferDecoder(
    OipServer server,
    ModelLease model,
    Deadline deadline,
    String requestId,
    Map<String, ParameterValue> headers,
    @Nullable SharedMemory memory) {
  /**
   * A request and what its answer needs.
   *
   * @param request owns the tensors and the model's lease
   * @param id the caller's name for the request; empty if it gave none
   * @param outputs which outputs are wanted as binary data
   */
  record Decoded(InferenceRequest request, String id, OutputForms outputs) {}

  /**
   * Decodes a body.
   *
   * @param jsonLength the header of the binary tensor data extension, if it was sent
   * @throws InferenceException with INVALID_ARGUMENT if anything is wrong with the request
   */
  Decoded decode(Body body, @Nullable String jsonLength) {
    int length = BinaryHeader.jsonLength(jsonLength, body.length());
    if (length == 0 && jsonLength != null) {
      return decodeRaw(body);
    }
    Body json = body.slice(0, length).onHeap();
    Body binary = body.slice(length, body.length() - length);
    try (JsonRequest parsed = JsonRequest.read(json)) {
      return decode(parsed, binary);
    }
  }

  private Decoded decodeRaw(Body body) {
    Signature signature = OipModels.signature(model, "");
    List<String> wanted = signature.commonOutputs(List.of());
    List<NamedTensor> inputs = List.of(RawRequest.read(model, signature, body));
    var options = new RequestOptions(0, SequenceStep.NONE, headers);
    var outputs = new OutputForms();
    outputs.binaryByDefault(true);
    return new Decoded(request(signature, inputs, wanted, deadline, options), "", outputs);
  }

  private Decoded decode(JsonRequest parsed, Body binary) {
    requireBinaryOf(parsed, binary);
    Signature signature = OipModels.signature(model, parsed.parameters().signatureName());
    OutputForms outputs = parsed.outputs();
    OipRequestChecks.check(model, signature, parsed.heads(), outputs.names());
    if (!outputs.classes().isEmpty()) {
      Classification.check(signature, outputs.classes());
    }
    outputs.findPlaces(memory);
    List<String> wanted = signature.commonOutputs(outputs.names());
    List<NamedTensor> inputs = tensors(parsed, binary);
    Deadline until =
        server.deadline(parsed.parameters().timeoutMicros(), model.metadata(), deadline);
    RequestOptions options = parsed.parameters().options(headers);
    InferenceRequest request = request(signature, inputs, wanted, until, options);
    return new Decoded(request, parsed.id(), outputs);
  }

  private InferenceRequest request(
      Signature signature,
      List<NamedTensor> inputs,
      List<String> outputs,
      Deadline until,
      RequestOptions options) {
    return new InferenceRequest(model, signature, inputs, outputs, until, requestId, options);
  }

  private void requireBinaryOf(JsonRequest parsed, Body binary) {
    long left = binary.length();
    for (JsonInput input : parsed.inputs()) {
      if (input.isBinary() && input.binarySize() > left) {
        throw InferenceException.invalid(
            "unexpected size for input '"
                + input.head().name()
                + "', expecting "
                + (input.binarySize() - left)
                + " additional bytes for model '"
                + model.id().name()
                + "'");
      }
      left -= input.isBinary() ? input.binarySize() : 0;
    }
    if (left > 0) {
      throw InferenceException.invalid(
          "unexpected additional input data for model '"
              + model.id().name()
              + "': "
              + left
              + " bytes more than its inputs' binary_data_size");
    }
  }

  /** Returns the tensors of all inputs, which the caller owns from now on. */
  private List<NamedTensor> tensors(JsonRequest parsed, Body binary) {
    List<NamedTensor> tensors = new ArrayList<>(parsed.inputs().size());
    List<NamedTensor> copied = new ArrayList<>(parsed.inputs().size());
    try {
      int at = 0;
      for (JsonInput input : parsed.inputs()) {
        @Nullable Tensor values = input.values();
        boolean parsedValues = values != null;
        if (input.place() != null) {
          values = SharedMemory.slot(memory, input.place()).read(input.head(), model.id().name());
        } else if (values == null) {
          int size = (int) input.binarySize();
          values = copy(input.head(), binary.slice(at, size));
          at += size;
        }
        var tensor = new NamedTensor(input.head().name(), values);
        if (!parsedValues) {
          copied.add(tensor);
        }
        tensors.add(tensor);
      }
    } catch (RuntimeException | Error e) {
      NamedTensor.closeAll(copied);
      throw e;
    }
    parsed.handOver();
    return tensors;
  }

  private Tensor copy(InputHead input, Body raw) {
    return RawInputs.read(input, raw, model.id().name());
  }
}
