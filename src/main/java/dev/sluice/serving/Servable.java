package dev.sluice.serving;

import dev.sluice.repository.LoadedModel;
import dev.sluice.scheduling.Scheduler;
import dev.sluice.scheduling.stream.StreamScheduler;
import dev.sluice.serving.explain.ExplainPlan;
import dev.sluice.telemetry.VersionMeter;
import java.util.List;
import java.util.Optional;

/** A loaded version as the pipeline needs it: a door and a scheduler behind it. */
interface Servable extends LoadedModel {
  /** Where requests enter, before they are decoded. */
  ModelDoor door();

  /** Who decides when they run. For event loops. */
  Scheduler scheduler();

  /** Who decides when the responses of streams are made. For event loops. */
  StreamScheduler streams();

  /** How its answers are explained. */
  ExplainPlan explaining();

  /** Of which loads of other models its answers are made, if it is composed of them. Any thread. */
  default List<Long> members() {
    return List.of();
  }

  /** Counts its requests and runs. */
  VersionMeter meter();

  /** The code that answers HTTP requests by itself, if there is any. */
  default Optional<CodeHandler> handler() {
    return Optional.empty();
  }
}
