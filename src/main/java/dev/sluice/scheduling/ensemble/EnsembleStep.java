package dev.sluice.scheduling.ensemble;

import dev.sluice.inference.DataPlane;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.ModelLookup;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.access.Caller;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Tensor;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.ObjIntConsumer;

/**
 * One model that is asked.
 *
 * @param number its place in the settings, from 1
 * @param member which version of which model
 * @param streams whether it may answer a request for a stream by any number of responses
 * @param says whether it answers by text, piece by piece: a piece may be empty
 * @param inputs what the model takes
 * @param outputs what the model writes
 */
record EnsembleStep(
    int number,
    ModelSelector member,
    boolean streams,
    boolean says,
    List<Link> inputs,
    List<Link> outputs) {
  /**
   * A tensor of the ensemble by one model's name for it.
   *
   * @param name the model's
   * @param tensor the ensemble's number of it
   */
  record Link(String name, int tensor) {}

  /**
   * Acquires the member, whether the caller may use it directly or not.
   *
   * @throws InferenceException UNAVAILABLE if it takes no requests
   */
  ModelLease admit(DataPlane members, Caller caller) {
    return switch (members.admit(member, caller.withServerRights())) {
      case ModelLookup.Found(ModelLease model) -> model;
      case ModelLookup.Missed _ -> throw StepFailures.notThere(this);
    };
  }

  /**
   * Hands each output of the member on with the ensemble's number of it; the taker owns it then. A
   * model may send more than it declares, log-probabilities for one: these are closed.
   */
  void distribute(InferenceResponse response, ObjIntConsumer<Tensor> taker) {
    for (NamedTensor output : response.outputs()) {
      OptionalInt number = tensorOf(output.name());
      if (number.isPresent()) {
        taker.accept(output.tensor(), number.getAsInt());
      } else {
        output.tensor().close();
      }
    }
  }

  private OptionalInt tensorOf(String output) {
    return outputs.stream()
        .filter(link -> link.name().equals(output))
        .mapToInt(Link::tensor)
        .findFirst();
  }

  /** Returns the step as texts name it. */
  String text() {
    return number + " (model '" + member.name() + "')";
  }

  EnsembleStep {
    inputs = List.copyOf(inputs);
    outputs = List.copyOf(outputs);
  }
}
