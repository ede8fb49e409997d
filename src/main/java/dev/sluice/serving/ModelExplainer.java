package dev.sluice.serving;

import dev.sluice.config.model.ExplainConfig;
import dev.sluice.inference.DataPlane;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.explain.ExplainParameters;
import dev.sluice.inference.explain.Explainer;
import dev.sluice.inference.explain.Explanation;
import dev.sluice.inference.explain.ExplanationSource;
import dev.sluice.serving.explain.ShapleyRun;
import io.vertx.core.Future;

/**
 * Explains models as their settings say, by asking them.
 *
 * <p>Asks the model itself, by ordinary requests: explanations wait in the same queue, under the
 * same limits and deadline as predictions.
 *
 * @param predictions where the instances are asked that are to be explained, as by any caller
 * @param data where the rows are asked that explain them
 */
public record ModelExplainer(DataPlane predictions, DataPlane data) implements Explainer {
  @Override
  public ExplanationSource explainedBy(ModelLease model) {
    ExplainConfig config = InferencePipeline.servable(model).explaining().config();
    if (config.model().isPresent()) {
      return new ExplanationSource.Model(config.model().get());
    }
    return switch (config.method()) {
      case NONE -> new ExplanationSource.Nothing();
      case SHAPLEY -> new ExplanationSource.Sampling();
    };
  }

  @Override
  public Future<Explanation> explain(InferenceRequest request, ExplainParameters parameters) {
    return run(request, parameters)
        .onComplete(_ -> {
          parameters.close();
          request.close();
        });
  }

  private Future<Explanation> run(InferenceRequest request, ExplainParameters parameters) {
    ModelLease lease = request.model();
    try {
      RequestValidator.require(request);
      var plan = InferencePipeline.servable(lease).explaining();
      return new ShapleyRun(data, request, new NonOwningLease(lease), parameters, plan)
          .start(predictions);
    } catch (InferenceException e) {
      return Future.failedFuture(e);
    }
  }
}
