package dev.sluice.serving;

import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.ModelConfiguration;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.repository.LoadedModel;
import dev.sluice.scheduling.Scheduler;
import dev.sluice.scheduling.stream.StreamScheduler;
import dev.sluice.serving.explain.ExplainPlan;
import dev.sluice.serving.plugin.PluginHttpHandler;
import dev.sluice.serving.stream.ResponseTimer;
import dev.sluice.serving.stream.StreamMeter;
import dev.sluice.telemetry.meter.VersionMeter;
import java.util.List;
import java.util.Optional;

/**
 * A loaded version as the pipeline needs it: admission control and a scheduler behind it.
 *
 * <p>One implementation for each kind of version: a model of files, an ensemble, a plugin, a
 * sequence model; decorators add a cache or a converter. Protocols never see which one it is.
 */
public interface Servable extends LoadedModel {
  /** Returns all there is of it besides those who run it. */
  VersionComponents facts();

  @Override
  default ModelMetadata metadata() {
    return facts().metadata();
  }

  @Override
  default ModelConfiguration configuration() {
    return facts().configuration();
  }

  /** Returns the admission control, which requests pass before they are decoded. */
  default AdmissionController admission() {
    return facts().admission();
  }

  /** Returns whether one answer is put together of the stream that it answers by. */
  default boolean joinsStream() {
    return metadata().whole();
  }

  /** Returns the scheduler of the requests. For event loops. */
  Scheduler scheduler();

  /** Returns the scheduler of streams' responses. For event loops. */
  StreamScheduler streams();

  /**
   * Returns a meter of the stream that answers a request. Responses are worth counting only where a
   * request may have any number.
   */
  default StreamMeter streamMeter(InferenceRequest request) {
    return metadata().decoupled() ? new ResponseTimer(meter()) : StreamMeter.NONE;
  }

  /** Returns how its answers are explained. */
  default ExplainPlan explaining() {
    return facts().explaining();
  }

  /** Of which loads of other models its answers are made, if it is composed of them. Any thread. */
  default List<Long> members() {
    return List.of();
  }

  /** Counts its requests and runs. */
  default VersionMeter meter() {
    return facts().meter();
  }

  /** Returns the code that answers HTTP requests by itself, if there is any. */
  default Optional<PluginHttpHandler> handler() {
    return Optional.empty();
  }
}
