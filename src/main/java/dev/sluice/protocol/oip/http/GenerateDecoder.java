package dev.sluice.protocol.oip.http;

import dev.sluice.inference.Deadline;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.ParameterValue;
import dev.sluice.inference.ServedModel;
import dev.sluice.inference.Signature;
import dev.sluice.protocol.oip.ForwardedHeaders;
import dev.sluice.protocol.oip.Models;
import dev.sluice.protocol.oip.OipServer;
import dev.sluice.protocol.oip.RequestChecks;
import dev.sluice.transport.Body;
import java.util.List;
import java.util.Map;

/**
 * Turns the flat JSON of the generate extension into a request for the model it is meant for.
 *
 * @param server whose clock measures timeouts
 * @param model on loan; goes into the decoded request, and stays the caller's if decoding fails
 * @param deadline until when the answer is wanted if the body does not say
 * @param requestId for logs
 * @param headers that are parameters too
 */
record GenerateDecoder(
    OipServer server,
    ServedModel model,
    Deadline deadline,
    String requestId,
    Map<String, ParameterValue> headers) {
  /**
   * A request and what its answer needs.
   *
   * @param request owns the tensors and the model's loan
   * @param id the caller's name for the request; empty if it gave none
   */
  record Decoded(InferenceRequest request, String id) {}

  /**
   * Decodes a body.
   *
   * @throws InferenceException with INVALID_ARGUMENT if anything is wrong with the request
   */
  Decoded decode(Body body) {
    Signature signature = Models.signature(model, "");
    try (GenerateRequest flat = GenerateRequest.read(body.onHeap(), signature)) {
      RequestChecks.check(model, signature, flat.heads(), List.of());
      Deadline wanted =
          server.deadline(flat.parameters().timeoutMicros(), model.metadata(), deadline);
      var request =
          new InferenceRequest(
              model,
              signature,
              flat.handOver(),
              List.of(),
              wanted,
              requestId,
              ForwardedHeaders.add(headers, flat.parameters().options()));
      return new Decoded(request, flat.id());
    }
  }
}
