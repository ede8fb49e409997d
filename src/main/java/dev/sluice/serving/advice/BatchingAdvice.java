package dev.sluice.serving.advice;

import dev.sluice.inference.ModelLookup;
import dev.sluice.inference.ModelSelector;
import dev.sluice.repository.LiveVersion;
import dev.sluice.repository.ModelRepository;
import dev.sluice.serving.ServableModel;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Says of a model whether its requests could be joined. Only for a server without other requests:
 * the model's session is used on the caller's thread, which blocks meanwhile.
 */
public record BatchingAdvice(ModelRepository repository, LongSupplier nanoTime) {
  /** Returns one sentence; empty if there is nothing to say, or the version takes no requests. */
  public Optional<String> of(ModelSelector version) {
    if (!(repository.find(version) instanceof ModelLookup.Found(LiveVersion live))) {
      return Optional.empty();
    }
    return live.read(_ ->
        live.loaded() instanceof ServableModel model
            ? model
                .streamAdvice()
                .or(() -> model.session().advice())
                .or(() -> BatchabilityProbe.advice(model.session(), model.metadata(), nanoTime))
            : Optional.empty());
  }
}
