package dev.sluice.serving.plugin;

import dev.sluice.inference.ComposingModelTimes;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.RequestTrace;
import dev.sluice.inference.Signature;
import dev.sluice.telemetry.meter.FailureReason;
import dev.sluice.telemetry.meter.RunMeter;
import dev.sluice.telemetry.meter.VersionMeter;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * Meters for calls of a plugin, which begin on any of several threads: each call has one to itself
 * while it runs. Any thread.
 */
public final class RunMeters {
  private final VersionMeter version;
  private final Queue<RunMeter> free = new ConcurrentLinkedQueue<>();

  RunMeters(VersionMeter version) {
    this.version = version;
  }

  /** Returns a meter for one call, on whose thread it is used. */
  RunMeter begin() {
    return begin(1);
  }

  /** Returns the same for a call of so many requests. */
  RunMeter begin(int requests) {
    RunMeter known = free.poll();
    RunMeter meter = known == null ? version.worker() : known;
    long now = version.now();
    meter.begin(requests, Signature.DEFAULT, now);
    meter.computing(now);
    return meter;
  }

  /**
   * Records that the call has given its answer.
   *
   * @param times where its times are added up besides
   * @param trace what records it
   */
  void answered(
      RunMeter meter,
      long sinceNanos,
      @Nullable ComposingModelTimes times,
      @Nullable RequestTrace trace) {
    computed(meter);
    meter.answered(sinceNanos, 1, times, trace);
    ended(meter);
  }

  /** Records that the code has returned. */
  void computed(RunMeter meter) {
    meter.computed(version.now());
  }

  /** Records that the call is over, and requests of it were answered. */
  void ended(RunMeter meter) {
    meter.end(version.now());
    end(meter);
  }

  /** Records that the call is over, and was counted as far as it is to be. */
  void end(RunMeter meter) {
    free.add(meter);
  }

  /** Records that a call gave no answer. */
  public void failed(InferenceException why) {
    version.refused(reason(why.code()));
  }

  private static FailureReason reason(ErrorCode code) {
    return switch (code) {
      case CANCELLED -> FailureReason.CANCELED;
      case RESOURCE_EXHAUSTED -> FailureReason.REJECTED;
      case UNAVAILABLE, DEADLINE_EXCEEDED, TOO_LARGE -> FailureReason.OTHER;
      case INVALID_ARGUMENT,
          NOT_FOUND,
          FAILED_PRECONDITION,
          UNAUTHENTICATED,
          PERMISSION_DENIED,
          UNIMPLEMENTED,
          UNKNOWN,
          OUT_OF_RANGE,
          DATA_LOSS,
          ABORTED,
          ALREADY_EXISTS,
          INTERNAL ->
          FailureReason.BACKEND;
    };
  }
}
