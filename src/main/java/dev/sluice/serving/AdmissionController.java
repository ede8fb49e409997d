package dev.sluice.serving;

import dev.sluice.config.model.ModelConfig;
import dev.sluice.config.model.QueueConfig;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelId;
import dev.sluice.scheduling.admission.ConcurrencyLimit;
import dev.sluice.scheduling.admission.ConcurrencyLimiter;
import dev.sluice.scheduling.admission.ConcurrencyLimiter.Rejection;
import dev.sluice.scheduling.admission.FixedLimit;
import dev.sluice.scheduling.admission.QueueTimeLimit;
import dev.sluice.scheduling.queue.ModelQueue;
import dev.sluice.telemetry.meter.FailureReason;
import dev.sluice.telemetry.meter.VersionMeter;
import java.util.function.LongSupplier;

/**
 * Admission control of one version of a model: admits a request, or rejects it with a time to
 * retry. Any thread.
 */
final class AdmissionController {
  private final int capacity;
  private final boolean asTensorflow;
  private final boolean unavailable;
  private final ConcurrencyLimiter limiter;
  private final RejectionLog refusals;
  private final VersionMeter meter;

  private AdmissionController(
      ModelConfig config,
      int capacity,
      ConcurrencyLimit limit,
      VersionMeter meter,
      LongSupplier nanoTime) {
    this.capacity = capacity;
    this.asTensorflow = config.queue().whenFull() == QueueConfig.WhenFull.UNAVAILABLE;
    this.unavailable = config.queue().refusesAsUnavailable();
    this.limiter = new ConcurrencyLimiter(limit);
    this.refusals = new RejectionLog(nanoTime);
    this.meter = meter;
    meter.admitted(limiter::inFlight);
  }

  static AdmissionController of(ModelConfig config, VersionMeter meter, LongSupplier nanoTime) {
    // A queue policy of Triton's says itself how many may wait, and is not improved upon.
    return config.admission().adaptive() && !config.queue().hasPolicies()
        ? new AdmissionController(
            config,
            capacity(config),
            new QueueTimeLimit(
                perRun(config),
                config.admission().targetWait(),
                config.admission().burst(),
                capacity(config),
                nanoTime),
            meter,
            nanoTime)
        : ofFixedWidth(config, meter, nanoTime);
  }

  /** Admission control with a fixed limit, for a model whose members adapt theirs. */
  static AdmissionController ofFixedWidth(
      ModelConfig config, VersionMeter meter, LongSupplier nanoTime) {
    return ofWidth(capacity(config), config, meter, nanoTime);
  }

  /**
   * Admission control of a plugin: as many as it runs at once, and as many as may wait.
   *
   * @param running requests that it runs at once
   */
  static AdmissionController ofPlugin(
      int running, ModelConfig config, VersionMeter meter, LongSupplier nanoTime) {
    return ofWidth(running + config.queue().capacity(), config, meter, nanoTime);
  }

  private static AdmissionController ofWidth(
      int capacity, ModelConfig config, VersionMeter meter, LongSupplier nanoTime) {
    return new AdmissionController(config, capacity, new FixedLimit(capacity), meter, nanoTime);
  }

  private static int capacity(ModelConfig config) {
    return perRun(config) + config.queue().capacity();
  }

  private static int perRun(ModelConfig config) {
    return config.runsAtOnce() * Math.max(1, config.batching().maxBatchSize());
  }

  /**
   * Lets a request in, with a permit that it is to {@link #release}.
   *
   * @throws InferenceException with RESOURCE_EXHAUSTED; UNAVAILABLE if the settings want that of a
   *     full queue
   */
  void admit(ModelId model) {
    Rejection rejected = limiter.admit();
    if (rejected != null) {
      String why = explain(model, rejected.limit());
      meter.refused(FailureReason.REJECTED);
      refusals.add(model, why);
      throw unavailable && rejected.limit() >= capacity
          ? InferenceException.unavailable(why, rejected.retryAfter())
          : InferenceException.busy(why, rejected.retryAfter());
    }
  }

  /** Releases the permit of a request that has entered, once. Any thread. */
  void release() {
    limiter.release();
  }

  /**
   * Records that a request that has entered waits no longer: its deadline has passed in the queue.
   */
  void expired() {
    limiter.expired();
  }

  private String explain(ModelId model, int limit) {
    if (limit >= capacity && asTensorflow) {
      return ModelQueue.TENSORFLOW_FULL;
    }
    return limit >= capacity
        ? "model '" + model.name() + "' has no room: Exceeds maximum queue size"
        : "model '"
            + model.name()
            + "' is overloaded: it takes "
            + limit
            + " requests at once now (setting admission); try again later";
  }
}
