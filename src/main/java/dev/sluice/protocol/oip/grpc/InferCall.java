package dev.sluice.protocol.oip.grpc;

import dev.sluice.inference.Deadline;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.ParameterValue;
import dev.sluice.inference.ServedModel;
import dev.sluice.inference.Signature;
import dev.sluice.protocol.oip.Classification;
import dev.sluice.protocol.oip.ForwardedHeaders;
import dev.sluice.protocol.oip.Models;
import dev.sluice.protocol.oip.OipServer;
import dev.sluice.protocol.oip.RawInputs;
import dev.sluice.protocol.oip.RequestChecks;
import dev.sluice.telemetry.Api;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Tensor;
import dev.sluice.transport.Body;
import dev.sluice.transport.Exchange;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Turns a {@code ModelInferRequest} into tensors for the model it names. */
final class InferCall {
  /**
   * A request and what its answer needs.
   *
   * @param request owns the tensors and the model's loan
   * @param id the caller's name for the request; empty if it gave none
   * @param classes by output, how many of its best elements are wanted in place of all
   */
  record Decoded(InferenceRequest request, String id, Map<String, Integer> classes) {}

  private final WireRequest wire;
  private final ServedModel model;

  private InferCall(WireRequest wire, ServedModel model) {
    this.wire = wire;
    this.model = model;
  }

  /**
   * Decodes a message that wants one answer.
   *
   * @param call tells until when the answer is wanted if the message does not say
   * @param metadata of the call, as far as it is parameters too
   * @throws InferenceException INVALID_ARGUMENT if anything is wrong with the request,
   *     UNIMPLEMENTED if its model does not give one answer, or as {@link Models#admit} does
   */
  static Decoded decode(
      OipServer server, Body message, Exchange call, Map<String, ParameterValue> metadata) {
    WireRequest wire = WireRequest.read(message);
    call.measure(Api.OIP_INFER, wire.modelName());
    ServedModel model = Models.requireOneAnswer(admit(server, wire, call), "ModelInfer RPC");
    return decode(server, wire, model, call, metadata);
  }

  /** Decodes a message of a stream, likewise. */
  static Decoded decodeStreamed(
      OipServer server, WireRequest wire, Exchange call, Map<String, ParameterValue> metadata) {
    return decode(server, wire, admit(server, wire, call), call, metadata);
  }

  private static ServedModel admit(OipServer server, WireRequest wire, Exchange call) {
    return Models.admit(
        server.data(), GrpcSelectors.of(wire.modelName(), wire.modelVersion()), call.caller());
  }

  private static Decoded decode(
      OipServer server,
      WireRequest wire,
      ServedModel model,
      Exchange call,
      Map<String, ParameterValue> metadata) {
    Deadline wanted =
        server.deadline(wire.parameters().timeoutMicros(), model.metadata(), call.deadline());
    try {
      InferenceRequest request =
          new InferCall(wire, model).request(wanted, call.requestId(), metadata);
      return new Decoded(request, wire.id(), wire.classes());
    } catch (RuntimeException | Error e) {
      model.release();
      throw e;
    }
  }

  private InferenceRequest request(
      Deadline deadline, String requestId, Map<String, ParameterValue> metadata) {
    requireOneFormOfContents();
    Signature signature = Models.signature(model, wire.parameters().signatureName());
    RequestChecks.check(model, signature, wire.heads(), wire.outputs());
    Classification.check(signature, wire.classes());
    List<String> outputs = signature.commonOutputs(wire.outputs());
    return new InferenceRequest(
        model,
        signature,
        tensors(),
        outputs,
        deadline,
        requestId,
        ForwardedHeaders.add(metadata, wire.parameters().options()));
  }

  private void requireOneFormOfContents() {
    if (wire.rawContents().isEmpty()) {
      return;
    }
    for (WireInput input : wire.inputs()) {
      if (!input.contents().isEmpty()) {
        throw InferenceException.invalid(
            "contents field must not be specified when using raw_input_contents for '"
                + input.head().name()
                + "' for model '"
                + name()
                + "'");
      }
    }
    requireRawForEachInput(wire.inputs().size(), wire.rawContents().size());
  }

  private void requireRawForEachInput(int inputs, int raw) {
    if (raw < inputs) {
      throw noData(wire.inputs().get(raw));
    }
    if (raw > inputs) {
      throw InferenceException.invalid(
          "the number of inputs ("
              + inputs
              + ") does not match the expected number of raw input contents ("
              + raw
              + ") for model '"
              + name()
              + "'.");
    }
  }

  private InferenceException noData(WireInput input) {
    return InferenceException.invalid(
        "unable to find data for input tensor '"
            + input.head().name()
            + "' for model '"
            + name()
            + "' in request.");
  }

  private String name() {
    return model.id().name();
  }

  private List<NamedTensor> tensors() {
    List<NamedTensor> tensors = new ArrayList<>(wire.inputs().size());
    try {
      for (int i = 0; i < wire.inputs().size(); i++) {
        tensors.add(new NamedTensor(wire.inputs().get(i).head().name(), tensor(i)));
      }
      return tensors;
    } catch (RuntimeException | Error e) {
      NamedTensor.closeAll(tensors);
      throw e;
    }
  }

  private Tensor tensor(int index) {
    WireInput input = wire.inputs().get(index);
    if (!wire.rawContents().isEmpty()) {
      return RawInputs.read(input.head(), wire.rawContents().get(index), name());
    }
    if (input.contents().isEmpty() && input.head().shape().elementCount() > 0) {
      throw noData(input);
    }
    return TypedContents.read(input.head(), input.contents(), name());
  }
}
