package dev.sluice.scheduling.ensemble;

import dev.sluice.inference.DataPlane;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.ParameterValue;
import dev.sluice.inference.RequestOptions;
import dev.sluice.inference.Signature;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.SharedTensor;
import dev.sluice.tensor.TensorSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Makes the requests of a sequential ensemble's models from the ensemble's request. Immutable.
 *
 * @param steps how many models there are
 * @param members finds them
 * @param request the chain's, which outlives those of the models
 */
record SequentialStepRequests(int steps, DataPlane members, InferenceRequest request) {
  /**
   * Passes views of the request's inputs to the first model.
   *
   * @param holders counts those that are in use
   * @param leave called when one is given back, on any thread
   */
  List<NamedTensor> inputs(AtomicInteger holders, Runnable leave) {
    List<NamedTensor> lease = new ArrayList<>(request.inputs().size());
    for (NamedTensor input : request.inputs()) {
      holders.incrementAndGet();
      try (var shared = new SharedTensor(input.tensor(), leave)) {
        lease.add(new NamedTensor(input.name(), shared.all()));
      }
    }
    return lease;
  }

  /**
   * Makes the request of a step, which the caller owns.
   *
   * @param inputs taken over, unless this fails
   * @throws InferenceException if the model takes no requests, or not these tensors
   */
  InferenceRequest of(EnsembleStep step, List<NamedTensor> inputs, RequestOptions options) {
    InferenceRequest part =
        step.admit(members, request.model().caller())
            .handOver(member -> of(step, member, inputs, options));
    part.belongsTo(request);
    return part;
  }

  private InferenceRequest of(
      EnsembleStep step, ModelLease member, List<NamedTensor> inputs, RequestOptions options) {
    Signature signature = EnsembleGraphBuilder.signature(member.metadata());
    return new InferenceRequest(
        member,
        signature,
        member.metadata().open() ? inputs : fitting(signature, inputs),
        step.number() == steps ? request.outputs() : List.of(),
        request.deadline(),
        request.requestId(),
        options);
  }

  /** Returns the request's options, with the parameters that the model before has given. */
  RequestOptions options(Map<String, ParameterValue> said) {
    RequestOptions asked = request.options();
    return new RequestOptions(asked.priority(), asked.timeoutMicros(), asked.sequence(), said);
  }

  /** Returns the tensors that a model takes, under its names; closes the others. */
  private static List<NamedTensor> fitting(Signature signature, List<NamedTensor> given) {
    List<NamedTensor> named =
        given.stream().filter(tensor -> signature.input(tensor.name()).isPresent()).toList();
    if (!named.isEmpty()) {
      given.stream().filter(tensor -> !named.contains(tensor)).forEach(NamedTensor::close);
      return named;
    }
    List<TensorSpec> inputs = signature.inputs();
    if (given.size() != inputs.size()) {
      throw new InferenceException(
          ErrorCode.INTERNAL,
          "it takes %s, but the model before it gives %s"
              .formatted(
                  inputs.stream().map(TensorSpec::name).toList(),
                  given.stream().map(NamedTensor::name).toList()));
    }
    List<NamedTensor> renamed = new ArrayList<>();
    for (int i = 0; i < inputs.size(); i++) {
      renamed.add(new NamedTensor(inputs.get(i).name(), given.get(i).tensor()));
    }
    return renamed;
  }
}
