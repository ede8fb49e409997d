package dev.sluice.protocol.tfs.grpc;

import dev.sluice.inference.DataPlane;
import dev.sluice.inference.Deadline;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.RequestOptions;
import dev.sluice.inference.Signature;
import dev.sluice.inference.access.Caller;
import dev.sluice.protocol.tfs.MethodNames;
import dev.sluice.protocol.tfs.grpc.wire.EncodedTensor;
import dev.sluice.protocol.tfs.grpc.wire.TensorDecoder;
import dev.sluice.protocol.tfs.grpc.wire.TensorScanner;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.TensorSpec;
import dev.sluice.transport.Body;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A request that was found right, and whose tensors have yet to be copied into tensor memory.
 *
 * @param model the lease, which the request that {@link #decode} makes takes over
 * @param signature the one that is called
 * @param inputs in the order of the signature
 * @param outputs the wanted outputs; empty for all
 * @param options parameters for the model
 */
record PredictPlan(
    ModelLease model,
    Signature signature,
    List<EncodedTensor> inputs,
    List<String> outputs,
    RequestOptions options) {
  PredictPlan {
    inputs = List.copyOf(inputs);
    outputs = List.copyOf(outputs);
  }

  /**
   * Checks a query against its model, which it acquires.
   *
   * @throws InferenceException if there is no such model or it does not take such a request; no
   *     lease is left open
   */
  static PredictPlan make(
      PredictRequestView query, DataPlane data, Caller caller, PredictSettings settings) {
    return TfsModels.admit(data, query.model().selector(), caller)
        .handOver(model -> of(query, model, settings));
  }

  /**
   * Checks a query against a leased model; the lease stays the caller's if this fails.
   *
   * @throws InferenceException if the model does not take such a request
   */
  static PredictPlan of(PredictRequestView query, ModelLease model, PredictSettings settings) {
    Signature signature = TfsRequestChecks.signature(model.metadata(), query.model().signature());
    MethodNames.requirePredict(model.metadata(), signature);
    Map<String, Body> sent = new LinkedHashMap<>(query.inputs());
    RequestOptions options = InputParameters.take(sent, model.metadata(), signature);
    TfsRequestChecks.names(signature, sent);
    List<EncodedTensor> inputs = scan(signature, sent);
    TfsRequestChecks.outputs(signature, query.outputFilter());
    TfsRequestChecks.types(signature, query.outputFilter());
    checkTensors(signature, inputs, model.metadata().shapesBind());
    checkMemory(inputs, settings.maxFilledBytes());
    return new PredictPlan(model, signature, inputs, query.outputFilter(), options);
  }

  private static List<EncodedTensor> scan(Signature signature, Map<String, Body> sent) {
    List<EncodedTensor> inputs = new ArrayList<>(sent.size());
    for (TensorSpec spec : signature.inputs()) {
      Body proto = sent.get(spec.name());
      if (proto != null) {
        inputs.add(TensorScanner.scan(spec.name(), proto));
      }
    }
    return inputs;
  }

  private static void checkTensors(
      Signature signature, List<EncodedTensor> inputs, boolean shapesBind) {
    int index = 0;
    for (EncodedTensor input : inputs) {
      while (!signature.inputs().get(index).name().equals(input.name())) {
        index++;
      }
      if (shapesBind) {
        TfsRequestChecks.type(signature, index, input);
        TfsRequestChecks.shape(signature.inputs().get(index), input);
      }
    }
  }

  private static void checkMemory(List<EncodedTensor> inputs, long most) {
    long filled = 0;
    for (EncodedTensor input : inputs) {
      filled += input.filledBytes();
      if (input.filledBytes() > most || filled > most) {
        throw InferenceException.invalid(
            "input \"%s\" of shape %s takes %d bytes, its message has %d; at most %d may be filled up"
                .formatted(
                    input.name(), input.shape(), input.byteSize(), input.proto().length(), most));
      }
    }
  }

  /** Returns how much tensor memory the request takes. */
  long byteSize() {
    long bytes = 0;
    for (EncodedTensor input : inputs) {
      bytes += input.byteSize();
    }
    return bytes;
  }

  /**
   * Copies the tensors into a request, which owns them and the lease.
   *
   * @throws InferenceException with INVALID_ARGUMENT if a value does not fit; the lease stays with
   *     the plan, nothing else is left open
   */
  InferenceRequest decode(Deadline deadline, String requestId) {
    List<NamedTensor> tensors = new ArrayList<>(inputs.size());
    try {
      for (EncodedTensor input : inputs) {
        tensors.add(new NamedTensor(input.name(), TensorDecoder.decode(input)));
      }
    } catch (RuntimeException e) {
      NamedTensor.closeAll(tensors);
      throw e;
    }
    return new InferenceRequest(model, signature, tensors, outputs, deadline, requestId, options);
  }
}
