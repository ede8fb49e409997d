package dev.sluice.testing;

import dev.sluice.inference.DataPlane;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelLookup;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.access.Caller;
import dev.sluice.inference.access.Operation;
import dev.sluice.tensor.NamedTensor;
import io.vertx.core.Future;
import java.util.List;
import java.util.function.Function;

/** A data plane whose lookups and answers a test decides. Answers at once. */
public final class AnsweringDataPlane implements DataPlane {
  private final Function<ModelSelector, ModelLookup> lookup;
  private final Function<InferenceRequest, List<NamedTensor>> model;

  /**
   * A data plane for a test.
   *
   * @param lookup what is found
   * @param model makes the outputs, which the response then owns
   */
  public AnsweringDataPlane(
      Function<ModelSelector, ModelLookup> lookup,
      Function<InferenceRequest, List<NamedTensor>> model) {
    this.lookup = lookup;
    this.model = model;
  }

  @Override
  public ModelLookup find(ModelSelector selector, Caller caller, Operation operation) {
    return lookup.apply(selector);
  }

  @Override
  public Future<InferenceResponse> infer(InferenceRequest request) {
    try (request) {
      return Future.succeededFuture(
          new InferenceResponse(request.model().id(), request.signature(), model.apply(request)));
    } catch (InferenceException e) {
      return Future.failedFuture(e);
    }
  }
}
