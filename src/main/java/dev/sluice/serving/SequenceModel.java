package dev.sluice.serving;

import dev.sluice.config.model.ModelConfig;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.ModelProblem;
import dev.sluice.scheduling.Scheduler;
import dev.sluice.scheduling.sequence.SequencePlans;
import dev.sluice.scheduling.sequence.SequenceScheduler;
import dev.sluice.scheduling.stream.SingleResponseStreams;
import dev.sluice.scheduling.stream.StreamScheduler;
import dev.sluice.serving.worker.ModelInstances;
import dev.sluice.serving.worker.WorkerPool;
import dev.sluice.telemetry.meter.VersionMeter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A version whose requests come in sequences. Each session is a model of its own with a queue of
 * its own, so that all requests of a sequence go to the same one.
 *
 * <p>Threads: as {@link ServableModel}.
 *
 * @param instances one for each session
 * @param scheduler gives each sequence an instance
 */
public record SequenceModel(
    VersionComponents facts, List<ServableModel> instances, SequenceScheduler scheduler)
    implements Servable {
  /**
   * Puts sessions to work, as {@link ServableModel#start} does.
   *
   * @throws dev.sluice.inference.InferenceException with FAILED_PRECONDITION if the model has not
   *     the tensors that its settings name
   */
  public static SequenceModel start(
      ModelMetadata metadata,
      ModelInstances sessions,
      ModelConfig config,
      VersionMeter meter,
      WorkerPool pool) {
    var plans = SequencePlans.of(metadata, config.sequence().orElseThrow());
    List<ServableModel> instances = new ArrayList<>();
    for (int i = 0; i < sessions.sessions().size(); i++) {
      WorkerPool own = pool.named(pool.name() + "-" + i);
      instances.add(ServableModel.start(metadata, sessions.only(i), config, meter, own));
    }
    List<Scheduler> lanes = instances.stream().map(ServableModel::scheduler).toList();
    var scheduler = new SequenceScheduler(pool.contexts(), plans, lanes, config, pool.nanoTime());
    meter.queue(scheduler::waiting);
    ModelMetadata shown = metadata.withSignatures(plans.shown());
    var facts =
        new VersionComponents(
            shown,
            new TritonConfiguration(meter.model().name(), shown, config),
            AdmissionController.of(config, meter, pool.nanoTime()),
            instances.getFirst().explaining(),
            meter);
    return new SequenceModel(facts, instances, scheduler);
  }

  @Override
  public StreamScheduler streams() {
    return new SingleResponseStreams(scheduler);
  }

  /** Returns the problem of a sequence model: a sequence may be with any of its sessions. */
  @Override
  public Optional<ModelProblem> problem() {
    return instances.stream().flatMap(instance -> instance.problem().stream()).findFirst();
  }

  @Override
  public void giveUp(String why) {
    instances.forEach(instance -> instance.giveUp(why));
  }

  @Override
  public void close() {
    scheduler.close();
    instances.forEach(ServableModel::close);
  }
}
