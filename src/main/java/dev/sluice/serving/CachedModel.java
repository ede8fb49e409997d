package dev.sluice.serving;

import dev.sluice.config.model.ModelConfig;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.ModelProblem;
import dev.sluice.inference.tokens.ModelTokenizer;
import dev.sluice.scheduling.caching.CachingScheduler;
import dev.sluice.scheduling.caching.ResponseCache;
import dev.sluice.scheduling.stream.StreamScheduler;
import dev.sluice.serving.plugin.PluginHttpHandler;
import dev.sluice.serving.stream.StreamMeter;
import java.util.List;
import java.util.Optional;

/**
 * A model with a cache in front of its queue. Streams go past it.
 *
 * <p>Decorates a servable: a hit is answered on the caller's event loop and wakes no worker.
 */
public record CachedModel(Servable model, CachingScheduler scheduler) implements Servable {
  /**
   * Returns the model itself, or with a cache if its settings want one and each answer stands
   * alone.
   */
  public static Servable of(Servable model, ModelConfig config, ResponseCache cache) {
    boolean kept =
        config.responseCache() && !config.stream().decoupled() && config.sequence().isEmpty();
    return kept
        ? new CachedModel(
            model,
            cache.before(model.scheduler(), model.meter(), model::members, heedsParameters(model)))
        : model;
  }

  /** Tensors are all that a session gets to see; plugins see parameters, and so may members. */
  private static boolean heedsParameters(Servable model) {
    return !(model instanceof ServableModel && model.metadata().parameters().isEmpty());
  }

  @Override
  public VersionComponents facts() {
    return model.facts();
  }

  @Override
  public StreamScheduler streams() {
    return model.streams();
  }

  @Override
  public StreamMeter streamMeter(InferenceRequest request) {
    return model.streamMeter(request);
  }

  @Override
  public List<Long> members() {
    return model.members();
  }

  @Override
  public Optional<PluginHttpHandler> handler() {
    return model.handler();
  }

  @Override
  public Optional<ModelTokenizer> tokenizer() {
    return model.tokenizer();
  }

  @Override
  public Optional<ModelProblem> problem() {
    return model.problem();
  }

  @Override
  public void giveUp(String why) {
    model.giveUp(why);
  }

  @Override
  public void close() {
    scheduler.close();
    model.close();
  }
}
