package dev.sluice.serving;

import dev.sluice.config.model.ModelConfig;
import dev.sluice.extension.ModelSignature;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.Signature;
import dev.sluice.runtime.plugin.PluginCode;
import dev.sluice.scheduling.Scheduler;
import dev.sluice.scheduling.stream.SingleResponseStreams;
import dev.sluice.scheduling.stream.StreamScheduler;
import dev.sluice.serving.plugin.HttpOnlyScheduler;
import dev.sluice.serving.plugin.PluginHttpHandler;
import dev.sluice.serving.plugin.PluginResponses;
import dev.sluice.serving.plugin.PluginScheduler;
import dev.sluice.serving.plugin.PluginStreams;
import dev.sluice.serving.plugin.PluginVersion;
import dev.sluice.telemetry.meter.VersionMeter;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/** A version that is a plugin alone. */
public final class ServablePlugin implements Servable {
  /** The operations of other protocols at a handler of HTTP requests: none. */
  private static final ModelSignature NOTHING = ModelSignature.of(List.of(), List.of());

  private final PluginVersion version;
  private final VersionComponents facts;
  private final Scheduler scheduler;
  private final StreamScheduler streams;
  private final Optional<PluginHttpHandler> handler;

  /**
   * Puts a plugin to work.
   *
   * @param version taken over, unless this fails
   * @throws InferenceException if it does not say what it takes and gives
   */
  public ServablePlugin(
      PluginVersion version, ModelConfig config, VersionMeter meter, LongSupplier nanoTime) {
    this.version = version;
    PluginCode code = version.code();
    ModelSignature declared = declared(code);
    var answers = new PluginResponses(declared);
    this.handler = PluginHttpHandler.of(version);
    ModelMetadata metadata =
        metadata(declared, true)
            .withDecoupled(code.model().isEmpty() && code.streaming().isPresent())
            .withStreams(code.streaming().isPresent())
            .withQueueTimeouts(config.queue().hasPolicies());
    int running =
        code.model()
            .map(model -> PluginScheduler.running(model, config))
            .orElse(PluginVersion.calls(config));
    this.facts =
        VersionComponents.of(
            metadata,
            config,
            AdmissionController.ofPlugin(running, config, meter, nanoTime),
            meter);
    this.scheduler =
        code.model()
            .<Scheduler>map(model ->
                new PluginScheduler(
                    version, model, answers, config, meter, facts.admission()::expired))
            .orElseGet(() -> new HttpOnlyScheduler(meter.model()));
    this.streams =
        code.streaming()
            .<StreamScheduler>map(model -> new PluginStreams(version, model, answers))
            .orElseGet(() -> new SingleResponseStreams(scheduler));
  }

  private static ModelSignature declared(PluginCode code) {
    ModelSignature declared =
        code.ask(() ->
            code.model().isPresent()
                ? code.model().get().signature()
                : code.streaming().isPresent() ? code.streaming().get().signature() : NOTHING);
    if (declared == null) {
      throw new InferenceException(
          ErrorCode.FAILED_PRECONDITION, "the model's code has no signature");
    }
    return declared;
  }

  /** Returns the metadata that callers get of a plugin. */
  static ModelMetadata metadata(ModelSignature declared, boolean shapesBind) {
    var signature = new Signature(Signature.DEFAULT, "", declared.inputs(), declared.outputs());
    return new ModelMetadata("java", Map.of(signature.name(), signature), shapesBind, 0)
        .withOpen(declared.open())
        .withAnyParameters(true);
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
  public Optional<PluginHttpHandler> handler() {
    return handler;
  }

  @Override
  public void giveUp(String why) {
    if (scheduler instanceof PluginScheduler calls) {
      calls.giveUp(why);
    }
  }

  @Override
  public void close() {
    meter().forget();
    scheduler.close();
    version.close();
  }
}
