package dev.sluice.protocol.oip.grpc;

import dev.sluice.inference.Deadline;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.ParameterValue;
import dev.sluice.inference.Signature;
import dev.sluice.protocol.oip.Classification;
import dev.sluice.protocol.oip.Excerpt;
import dev.sluice.protocol.oip.OipModels;
import dev.sluice.protocol.oip.OipRequestChecks;
import dev.sluice.protocol.oip.OipServer;
import dev.sluice.protocol.oip.RawInputs;
import dev.sluice.protocol.oip.SharedMemory;
import dev.sluice.protocol.oip.SharedMemoryParameters;
import dev.sluice.protocol.oip.SharedMemorySlice;
import dev.sluice.telemetry.meter.Api;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Tensor;
import dev.sluice.transport.Body;
import dev.sluice.transport.Exchange;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Turns a {@code ModelInferRequest} into tensors for the model it names.
 *
 * <p>Walks the message once; contents are left in its bytes until the model is known, then copied
 * straight into tensors, or not at all where they lie in native memory.
 */
final class InferRequestReader {
  /**
   * A request and what its answer needs.
   *
   * @param request owns the tensors and the model's lease
   * @param id the caller's name for the request; empty if it gave none
   * @param classes by output, how many of its best elements are wanted in place of all
   * @param slots by output, where in shared memory it goes
   */
  record Decoded(
      InferenceRequest request,
      String id,
      Map<String, Integer> classes,
      Map<String, SharedMemorySlice> slots) {}

  private final WireRequest wire;
  private final ModelLease model;
  private final @Nullable SharedMemory memory;

  private InferRequestReader(WireRequest wire, ModelLease model, @Nullable SharedMemory memory) {
    this.wire = wire;
    this.model = model;
    this.memory = memory;
  }

  /**
   * Decodes a message that wants one answer.
   *
   * @param call has the deadline if the message names none
   * @param metadata of the call, as far as it is parameters too
   * @param memory that the caller shares; null where none is served
   * @throws InferenceException INVALID_ARGUMENT if anything is wrong with the request,
   *     UNIMPLEMENTED if its model does not give one answer, or as {@link OipModels#admit} does
   */
  static Decoded decode(
      OipServer server,
      Body message,
      Exchange call,
      Map<String, ParameterValue> metadata,
      @Nullable SharedMemory memory) {
    WireRequest wire = WireRequest.read(message);
    call.measure(Api.OIP_INFER, wire.modelName());
    call.record().sample(wire.modelName());
    return OipModels.admitForOne(server.data(), selector(wire), call.caller(), "ModelInfer RPC")
        .handOver(model -> decode(server, wire, model, call, metadata, memory));
  }

  /** Decodes a message of a stream, likewise. */
  static Decoded decodeStreamed(
      OipServer server,
      WireRequest wire,
      Exchange call,
      Map<String, ParameterValue> metadata,
      @Nullable SharedMemory memory) {
    return OipModels.admit(server.data(), selector(wire), call.caller())
        .handOver(model -> decode(server, wire, model, call, metadata, memory));
  }

  private static ModelSelector selector(WireRequest wire) {
    return selector(wire.modelName(), wire.modelVersion());
  }

  /**
   * Returns what selects the version of the model that a message is for.
   *
   * @param version the digits of a number, or empty for the highest version that takes requests
   * @throws InferenceException with INVALID_ARGUMENT if it is neither
   */
  static ModelSelector selector(String name, String version) {
    if (version.isEmpty()) {
      return new ModelSelector.Latest(name);
    }
    try {
      long number = Long.parseLong(version);
      if (number < 0) {
        throw InferenceException.invalid(
            "invalid model version specified '" + number + "', wanted an integer > 0");
      }
      return new ModelSelector.Version(name, number);
    } catch (NumberFormatException e) {
      throw InferenceException.invalid(
          "failed to get model version from specified version string '"
              + Excerpt.of(version)
              + "', wanted an integer > 0");
    }
  }

  private static Decoded decode(
      OipServer server,
      WireRequest wire,
      ModelLease model,
      Exchange call,
      Map<String, ParameterValue> metadata,
      @Nullable SharedMemory memory) {
    Deadline wanted =
        server.deadline(wire.parameters().timeoutMicros(), model.metadata(), call.deadline());
    Map<String, SharedMemorySlice> slots =
        wire.places().isEmpty()
            ? Map.of()
            : SharedMemory.slots(memory, wire.places(), wire.classes());
    InferenceRequest request =
        new InferRequestReader(wire, model, memory).request(wanted, call.requestId(), metadata);
    return new Decoded(request, wire.id(), wire.classes(), slots);
  }

  private InferenceRequest request(
      Deadline deadline, String requestId, Map<String, ParameterValue> metadata) {
    requireOneFormOfContents();
    Signature signature = OipModels.signature(model, wire.parameters().signatureName());
    OipRequestChecks.check(model, signature, wire.heads(), wire.outputs());
    if (!wire.classes().isEmpty()) {
      Classification.check(signature, wire.classes());
    }
    List<String> outputs = signature.commonOutputs(wire.outputs());
    return new InferenceRequest(
        model,
        signature,
        tensors(),
        outputs,
        deadline,
        requestId,
        wire.parameters().options(metadata));
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
    requireRawForEachInput(inputsInMessage(), wire.rawContents().size());
  }

  /** Returns the inputs that are not in shared memory. */
  private List<WireInput> inputsInMessage() {
    for (WireInput input : wire.inputs()) {
      if (input.place() != null) {
        return wire.inputs().stream().filter(each -> each.place() == null).toList();
      }
    }
    return wire.inputs();
  }

  private void requireRawForEachInput(List<WireInput> sent, int raw) {
    int inputs = sent.size();
    if (raw < inputs) {
      throw noData(sent.get(raw));
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
      int raw = 0;
      for (WireInput input : wire.inputs()) {
        tensors.add(new NamedTensor(input.head().name(), tensor(input, raw)));
        raw += input.place() == null ? 1 : 0;
      }
      return tensors;
    } catch (RuntimeException | Error e) {
      NamedTensor.closeAll(tensors);
      throw e;
    }
  }

  /**
   * @param raw its place among the raw contents
   */
  private Tensor tensor(WireInput input, int raw) {
    SharedMemoryParameters place = input.place();
    if (place != null) {
      if (!input.contents().isEmpty()) {
        throw InferenceException.invalid(
            "unexpected 'content' provided when using shared memory for input tensor '"
                + input.head().name()
                + "' for model '"
                + name()
                + "'");
      }
      return SharedMemory.slot(memory, place).read(input.head(), name());
    }
    if (!wire.rawContents().isEmpty()) {
      return RawInputs.read(input.head(), wire.rawContents().get(raw), name());
    }
    if (input.contents().isEmpty() && input.head().shape().elementCount() > 0) {
      throw noData(input);
    }
    return TypedContents.read(input.head(), input.contents(), name());
  }
}
