package dev.sluice.serving.stream;

import dev.sluice.inference.InferenceResponse;
import dev.sluice.scheduling.stream.Demand;
import dev.sluice.telemetry.meter.VersionMeter;
import org.jspecify.annotations.Nullable;

/**
 * Counts and times the responses of one stream. The time of a response begins when the one before
 * was sent; while the reader wants none, none is made and no time counts. Of the reader's event
 * loop.
 */
public class ResponseTimer implements StreamMeter {
  private final VersionMeter meter;

  /** Responses that the reader has asked for and not got. */
  private long wanted;

  private long sinceNanos;
  private long madeNanos;
  private long place;

  /** True once the last response, or the end without one, was counted. */
  private boolean counted;

  public ResponseTimer(VersionMeter meter) {
    this.meter = meter;
    this.sinceNanos = meter.now();
  }

  @Override
  public void requested(long count) {
    if (wanted == 0) {
      sinceNanos = meter.now();
    }
    wanted = Demand.sum(wanted, count);
  }

  @Override
  public void made(InferenceResponse response) {
    madeNanos = meter.now();
    wanted--;
    counted = counted || response.last();
    meter.responses().made(place++, madeNanos - sinceNanos);
  }

  @Override
  public void sent() {
    sinceNanos = meter.now();
    meter.responses().sent(place - 1, sinceNanos - madeNanos);
  }

  @Override
  public void cancelling() {
    sinceNanos = meter.now();
  }

  @Override
  public void ended(StreamState end, @Nullable Throwable failure) {
    if (!counted) {
      counted = true;
      long nanos = meter.now() - sinceNanos;
      switch (end) {
        case COMPLETED -> meter.responses().empty(place, nanos);
        case CANCELLED -> meter.responses().cancelled(place, nanos);
        case FAILED, STOPPED -> meter.responses().failed(place, nanos);
        case OPEN -> throw new IllegalArgumentException("not ended: " + end);
      }
    }
  }
}
