package dev.sluice.inference.explain;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.ModelLease;
import io.vertx.core.Future;

/** Explains answers: how much each element of an instance contributed. */
public interface Explainer {
  /** Returns the source of a model's explanations. Borrows the model. Any thread. */
  ExplanationSource explainedBy(ModelLease model);

  /**
   * Explains each row of a request, later: by Shapley values, which the model is asked many changed
   * rows for, at its lowest priority and a bounded number at a time.
   *
   * <p>Called on an event loop; the future completes on the same one. Takes the request and the
   * parameters over, whatever happens; {@link InferenceRequest#cancel} and its deadline end the
   * work. Fails with an {@link InferenceException}. The explanation belongs to the caller.
   *
   * @param request to a model that is {@link ExplanationSource.Sampling}
   */
  Future<Explanation> explain(InferenceRequest request, ExplainParameters parameters);
}
