package dev.sluice.scheduling.ensemble;

import dev.sluice.inference.ModelSelector;
import java.util.List;

/**
 * One model that is asked.
 *
 * @param number its place in the settings, from 1
 * @param member which version of which model
 * @param inputs what the model takes
 * @param outputs what the model writes
 */
record EnsembleStep(int number, ModelSelector member, List<Link> inputs, List<Link> outputs) {
  /**
   * A tensor of the ensemble by one model's name for it.
   *
   * @param name the model's
   * @param tensor the ensemble's number of it
   */
  record Link(String name, int tensor) {}

  EnsembleStep {
    inputs = List.copyOf(inputs);
    outputs = List.copyOf(outputs);
  }
}
