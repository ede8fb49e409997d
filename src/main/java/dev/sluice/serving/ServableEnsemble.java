package dev.sluice.serving;

import dev.sluice.config.model.EnsembleConfig;
import dev.sluice.config.model.ModelConfig;
import dev.sluice.inference.DataPlane;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.ModelLookup;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.access.Caller;
import dev.sluice.inference.access.Operation;
import dev.sluice.repository.LiveVersion;
import dev.sluice.scheduling.Scheduler;
import dev.sluice.scheduling.ensemble.EnsembleGraph;
import dev.sluice.scheduling.ensemble.EnsembleGraphBuilder;
import dev.sluice.scheduling.ensemble.EnsembleScheduler;
import dev.sluice.scheduling.ensemble.SequentialEnsembleScheduler;
import dev.sluice.scheduling.stream.SingleResponseStreams;
import dev.sluice.scheduling.stream.StreamScheduler;
import dev.sluice.serving.stream.StreamMeter;
import dev.sluice.telemetry.meter.VersionMeter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * A version that is composed of other models. Owns no session and no thread; its members are looked
 * up anew for each request, so that a newer version of one takes over here too.
 *
 * @param scheduler runs the graph and counts its requests
 * @param steps the models that it is composed of
 * @param plane finds them
 */
public record ServableEnsemble(
    VersionComponents facts,
    MeteredEnsemble scheduler,
    StreamScheduler streams,
    List<ModelSelector> steps,
    DataPlane plane)
    implements Servable {
  public ServableEnsemble {
    steps = List.copyOf(steps);
  }

  /**
   * Checks that the members fit together, as they are now.
   *
   * @param meter counts its requests
   * @throws InferenceException with FAILED_PRECONDITION if they do not
   */
  public static ServableEnsemble open(
      VersionMeter meter,
      EnsembleConfig ensemble,
      ModelConfig config,
      DataPlane members,
      LongSupplier nanoTime) {
    String name = meter.model().name();
    Function<ModelSelector, ModelMetadata> known = selector -> metadata(members, selector);
    var admission = AdmissionController.ofFixedWidth(config, meter, nanoTime);
    if (SequentialEnsembleScheduler.fits(ensemble, known)) {
      var chain = SequentialEnsembleScheduler.of(name, ensemble, known, members);
      var facts = VersionComponents.of(chain.metadata(), config, admission, meter);
      return open(facts, chain, chain.members(), members);
    }
    int maxBatchSize = config.batching().maxBatchSize();
    EnsembleGraph graph = EnsembleGraphBuilder.build(name, ensemble, maxBatchSize, known);
    ModelMetadata metadata = withSettings(graph.metadata(), config);
    var facts = VersionComponents.of(metadata, config, admission, meter);
    return open(facts, new EnsembleScheduler(graph, members), graph.members(), members);
  }

  private static <S extends Scheduler & StreamScheduler> ServableEnsemble open(
      VersionComponents facts, S scheduler, List<ModelSelector> steps, DataPlane members) {
    facts.meter().show();
    var metered = new MeteredEnsemble(scheduler, facts.meter(), facts.metadata());
    StreamScheduler streams =
        facts.metadata().streams() ? scheduler : new SingleResponseStreams(metered);
    return new ServableEnsemble(facts, metered, streams, steps, members);
  }

  /** With what its own settings say of it, before what its members do. */
  private static ModelMetadata withSettings(ModelMetadata ensemble, ModelConfig config) {
    Map<String, List<String>> labels = new HashMap<>(ensemble.classLabels());
    labels.putAll(ClassLabels.read(config.classLabels()));
    return ensemble
        .withClassLabels(labels)
        .withDecoupled(ensemble.decoupled() || config.stream().decoupled());
  }

  private static ModelMetadata metadata(DataPlane members, ModelSelector selector) {
    if (!(members.find(selector, Caller.SERVER, Operation.MODEL_METADATA)
        instanceof ModelLookup.Found(ModelLease model))) {
      throw new InferenceException(
          ErrorCode.FAILED_PRECONDITION, "model '" + selector.name() + "' takes no requests now");
    }
    return model.read(ModelLease::metadata);
  }

  /** Each member gives its whole answer to those behind it. */
  @Override
  public boolean joinsStream() {
    return false;
  }

  @Override
  public StreamMeter streamMeter(InferenceRequest request) {
    return metadata().streams() ? new EnsembleStreamMeter(scheduler, request) : StreamMeter.NONE;
  }

  /**
   * Returns each member's load, and behind it those of the models that it is composed of itself.
   */
  @Override
  public List<Long> members() {
    List<Long> loads = new ArrayList<>(steps.size());
    for (ModelSelector step : steps) {
      if (plane.find(step, Caller.SERVER, Operation.MODEL_METADATA)
          instanceof ModelLookup.Found(LiveVersion live)) {
        loads.add(live.load());
        loads.addAll(live.read(model -> InferencePipeline.servable(model).members()));
      }
    }
    return loads;
  }

  @Override
  public void close() {
    scheduler.close();
    meter().forget();
  }
}
