package dev.sluice.protocol.oip.http;

import dev.sluice.inference.Deadline;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.ParameterValue;
import dev.sluice.inference.Signature;
import dev.sluice.protocol.codec.JsonCursor;
import dev.sluice.protocol.codec.JsonCursor.Kind;
import dev.sluice.protocol.codec.JsonException;
import dev.sluice.protocol.oip.OipModels;
import dev.sluice.protocol.oip.OipRequestChecks;
import dev.sluice.protocol.oip.OipServer;
import dev.sluice.protocol.oip.http.json.OutputForms;
import dev.sluice.transport.Body;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Turns the body of the generate extension into a request for the model it is meant for: flat JSON,
 * or, as clients made for MLServer send it, an ordinary inference request. The answer has the form
 * of the request.
 *
 * @param server whose clock measures timeouts
 * @param model the lease; goes into the decoded request, and stays the caller's if decoding fails
 * @param deadline until when the answer is wanted if the body does not say
 * @param requestId for logs
 * @param headers that are parameters too
 */
record GenerateDecoder(
    OipServer server,
    ModelLease model,
    Deadline deadline,
    String requestId,
    Map<String, ParameterValue> headers) {
  /**
   * A request and how to answer it.
   *
   * @param request owns the tensors and the model's lease
   * @param form makes the JSON of an answer, which it borrows
   */
  record Decoded(InferenceRequest request, String id, Function<InferenceResponse, Buffer> form) {}

  /**
   * Decodes a body.
   *
   * @throws InferenceException with INVALID_ARGUMENT if anything is wrong with the request
   */
  Decoded decode(Body body) {
    Body json = body.onHeap();
    return isInferRequest(json) ? inferRequest(json) : flat(json);
  }

  /**
   * Returns whether the body is an inference request: its inputs are a list of objects, which no
   * flat value is.
   */
  private static boolean isInferRequest(Body json) {
    var in = new JsonCursor(json);
    try {
      if (in.peek() != Kind.OBJECT) {
        return false;
      }
      in.beginObject();
      while (in.nextKey()) {
        if (in.keyIs("inputs")) {
          return isListOfObjects(in);
        }
        in.skipValue();
      }
      return false;
    } catch (JsonException _) {
      // the next reader reports where
      return false;
    }
  }

  private static boolean isListOfObjects(JsonCursor in) {
    if (in.peek() != Kind.ARRAY) {
      return false;
    }
    in.beginArray();
    return in.nextElement() && in.peek() == Kind.OBJECT;
  }

  /** MLServer knows neither binary data nor classes: the answer is JSON whatever was asked for. */
  private Decoded inferRequest(Body json) {
    var decoder = new InferDecoder(server, model, deadline, requestId, headers, null);
    InferDecoder.Decoded decoded = decoder.decode(json, null);
    return new Decoded(
        decoded.request(),
        decoded.id(),
        response -> InferEncoder.encode(response, decoded.id(), new OutputForms()).body());
  }

  private Decoded flat(Body json) {
    Signature signature = OipModels.signature(model, "");
    try (GenerateRequest flat = GenerateRequest.read(json, signature)) {
      OipRequestChecks.check(model, signature, flat.heads(), List.of());
      List<String> outputs = signature.commonOutputs(List.of());
      Deadline wanted =
          server.deadline(flat.parameters().timeoutMicros(), model.metadata(), deadline);
      var request =
          new InferenceRequest(
              model,
              signature,
              flat.takeInputs(),
              outputs,
              wanted,
              requestId,
              flat.parameters().options(headers));
      String id = flat.id();
      return new Decoded(request, id, response -> GenerateEncoder.encode(response, id));
    }
  }
}
