package dev.sluice.serving;

import dev.sluice.config.model.BreakerConfig;
import dev.sluice.extension.ModelSignature;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.ModelProblem;
import dev.sluice.inference.Signature;
import dev.sluice.inference.tokens.ModelTokenizer;
import dev.sluice.scheduling.Scheduler;
import dev.sluice.scheduling.breaker.CircuitBreaker;
import dev.sluice.scheduling.stream.StreamScheduler;
import dev.sluice.serving.plugin.ConvertedScheduler;
import dev.sluice.serving.plugin.ConvertedStreams;
import dev.sluice.serving.plugin.ConverterCalls;
import dev.sluice.serving.plugin.PluginHttpHandler;
import dev.sluice.serving.plugin.PluginResponses;
import dev.sluice.serving.plugin.PluginVersion;
import dev.sluice.serving.stream.StreamMeter;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A model with a plugin around it: a converter, a handler of HTTP requests, or both.
 *
 * <p>Ownership: of the model behind it, which is closed with it.
 */
public final class ServableConverted implements Servable {
  private final Servable model;
  private final PluginVersion version;
  private final VersionComponents facts;
  private final Scheduler scheduler;
  private final StreamScheduler streams;
  private final Optional<PluginHttpHandler> handler;

  private ServableConverted(Servable model, PluginVersion version) {
    this.model = model;
    this.version = version;
    this.handler = PluginHttpHandler.of(version);
    var converter = version.code().converter();
    if (converter.isEmpty()) {
      this.facts = model.facts();
      this.scheduler = model.scheduler();
      this.streams = model.streams();
      return;
    }
    Signature inner = signature(model.metadata());
    ModelSignature declared =
        version
            .code()
            .ask(() ->
                converter.get().signature(ModelSignature.of(inner.inputs(), inner.outputs())));
    this.facts = model.facts().withMetadata(metadata(declared, model.metadata()));
    var calls =
        new ConverterCalls(
            version,
            converter.get(),
            new PluginResponses(declared),
            inner,
            step -> RequestValidator.require(step, model.metadata().shapesBind()),
            model.scheduler(),
            model.streams());
    this.scheduler = new ConvertedScheduler(calls);
    // A model that answers once may stream its rows all the same.
    this.streams = new ConvertedStreams(calls);
  }

  /** Returns the model as callers see it: it answers as the model behind the converter does. */
  private static ModelMetadata metadata(ModelSignature declared, ModelMetadata model) {
    ModelMetadata converted =
        ServablePlugin.metadata(declared, model.shapesBind()).withDecoupled(model.decoupled());
    return model.whole() ? converted.withWhole() : converted;
  }

  /**
   * Puts a plugin around a model.
   *
   * @param model taken over, whatever happens
   * @param version the code
   */
  public static ServableConverted around(Servable model, Supplier<PluginVersion> version) {
    try {
      return around(model, version.get());
    } catch (RuntimeException | Error e) {
      model.close();
      throw e;
    }
  }

  private static ServableConverted around(Servable model, PluginVersion version) {
    try {
      return new ServableConverted(model, version);
    } catch (RuntimeException | Error e) {
      version.close();
      throw e;
    }
  }

  private static Signature signature(ModelMetadata metadata) {
    return metadata
        .signature("")
        .orElseThrow(() ->
            new InferenceException(
                ErrorCode.FAILED_PRECONDITION,
                "a converter needs a model with the signature " + Signature.DEFAULT));
  }

  @Override
  public VersionComponents facts() {
    return facts;
  }

  @Override
  public Scheduler scheduler() {
    return scheduler;
  }

  @Override
  public StreamScheduler streams() {
    return streams;
  }

  @Override
  public boolean joinsStream() {
    return model.joinsStream();
  }

  @Override
  public StreamMeter streamMeter(InferenceRequest request) {
    return metadata().decoupled() ? model.streamMeter(request) : StreamMeter.NONE;
  }

  @Override
  public List<Long> members() {
    return model.members();
  }

  @Override
  public Optional<PluginHttpHandler> handler() {
    return handler;
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
    version.stop(
        CircuitBreaker.outOfService(meter().model(), why, BreakerConfig.DEFAULT.probeInterval()));
  }

  @Override
  public void close() {
    model.close();
    version.close();
  }
}
