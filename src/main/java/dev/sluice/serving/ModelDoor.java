package dev.sluice.serving;

import dev.sluice.config.ModelConfig;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelId;
import dev.sluice.scheduling.admission.Admission.Accepted;
import dev.sluice.scheduling.admission.Admission.Permit;
import dev.sluice.scheduling.admission.Admission.Rejected;
import dev.sluice.scheduling.admission.ConcurrencyLimiter;
import dev.sluice.scheduling.admission.FixedLimit;
import dev.sluice.scheduling.admission.WaitLimit;
import dev.sluice.telemetry.FailureReason;
import dev.sluice.telemetry.VersionMeter;
import java.util.function.LongSupplier;

/** Where requests enter one version of a model, or are told to come back later. Any thread. */
final class ModelDoor {
  private final int capacity;
  private final ConcurrencyLimiter limiter;
  private final RefusalLog refusals;
  private final VersionMeter meter;

  ModelDoor(ModelConfig config, VersionMeter meter, LongSupplier nanoTime) {
    int perRun = config.instances() * Math.max(1, config.batching().maxBatchSize());
    this.capacity = perRun + config.queue().maxQueuedRequests();
    this.limiter =
        new ConcurrencyLimiter(
            config.admission().adaptive()
                ? new WaitLimit(perRun, config.admission().targetWait(), capacity, nanoTime)
                : new FixedLimit(capacity));
    this.refusals = new RefusalLog(nanoTime);
    this.meter = meter;
  }

  /**
   * Lets a request in.
   *
   * @throws InferenceException with RESOURCE_EXHAUSTED
   */
  Permit enter(ModelId model) {
    return switch (limiter.admit()) {
      case Accepted(Permit permit) -> permit;
      case Rejected rejected -> {
        String why = explain(model, rejected.limit());
        meter.refused(FailureReason.REJECTED);
        refusals.add(model, why);
        throw InferenceException.busy(why, rejected.retryAfter());
      }
    };
  }

  private String explain(ModelId model, int limit) {
    return limit >= capacity
        ? "model '" + model.name() + "' has no room: Exceeds maximum queue size"
        : "model '"
            + model.name()
            + "' is overloaded: it takes "
            + limit
            + " requests at once now (setting admission); try again later";
  }
}
