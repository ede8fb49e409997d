package dev.sluice.serving;

import dev.sluice.inference.ComposingModelTimes;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.serving.stream.ResponseTimer;
import dev.sluice.serving.stream.StreamState;
import dev.sluice.telemetry.meter.FailureReason;
import dev.sluice.telemetry.meter.VersionMeter;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Counts one stream of an ensemble as one request, answered when it has ended, besides its
 * responses. Of the reader's event loop.
 */
final class EnsembleStreamMeter extends ResponseTimer {
  private final VersionMeter meter;
  private final long since;
  private final long inferences;
  private final ComposingModelTimes times;
  private final @Nullable ComposingModelTimes outer;

  /** Begins to measure. The times of the request's members are added up here from then on. */
  EnsembleStreamMeter(MeteredEnsemble requests, InferenceRequest request) {
    super(requests.meter());
    this.meter = requests.meter();
    this.since = meter.now();
    this.inferences = requests.inferences(request);
    this.outer = request.times();
    this.times = ComposingModelTimes.within(outer);
    request.addTimesTo(times);
  }

  @Override
  public void ended(StreamState end, @Nullable Throwable failure) {
    super.ended(end, failure);
    switch (end) {
      case COMPLETED -> {
        meter.composed(inferences, since, times);
        if (outer != null) {
          outer.add(times);
        }
      }
      case FAILED ->
          meter.composedFailed(
              MeteredEnsemble.reason(Objects.requireNonNull(failure, "why")), since);
      case OPEN -> throw new IllegalArgumentException("not ended: " + end);
      case CANCELLED, STOPPED -> meter.composedFailed(FailureReason.CANCELED, since);
    }
  }
}
