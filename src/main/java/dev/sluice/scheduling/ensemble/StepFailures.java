package dev.sluice.scheduling.ensemble;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;

/** Failures of steps in the words of the ensemble: each names the step and its model. */
final class StepFailures {
  private StepFailures() {}

  static InferenceException notThere(EnsembleStep step) {
    return new InferenceException(
        ErrorCode.UNAVAILABLE, "model '" + step.member().name() + "' takes no requests now");
  }

  /** Returns the same failure, with the step in front; overload still says when to try again. */
  static InferenceException in(String ensemble, EnsembleStep step, Throwable failure) {
    String text =
        "ensemble '%s', step %d (model '%s'): %s"
            .formatted(ensemble, step.number(), step.member().name(), text(failure));
    return failure instanceof InferenceException known && known.mayRetry()
        ? known.withText(text)
        : new InferenceException(ErrorCode.of(failure), text, failure);
  }

  private static String text(Throwable failure) {
    return failure instanceof InferenceException known ? known.getMessage() : "it failed";
  }
}
