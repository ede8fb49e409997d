package dev.sluice.scheduling.ensemble;

import dev.sluice.inference.DataPlane;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.ModelLookup;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.access.Caller;
import java.util.List;

/**
 * One model that is asked.
 *
 * @param number its place in the settings, from 1
 * @param member which version of which model
 * @param decoupled whether it may answer a request by any number of responses
 * @param inputs what the model takes
 * @param outputs what the model writes
 */
record EnsembleStep(
    int number, ModelSelector member, boolean decoupled, List<Link> inputs, List<Link> outputs) {
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

  /** Returns the ensemble's number of what the model writes under this name. */
  int tensorOf(String output) {
    for (Link link : outputs) {
      if (link.name().equals(output)) {
        return link.tensor();
      }
    }
    throw new IllegalStateException(member + " has answered with output " + output);
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
