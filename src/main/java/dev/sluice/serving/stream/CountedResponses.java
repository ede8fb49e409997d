package dev.sluice.serving.stream;

import dev.sluice.inference.InferenceResponse;
import dev.sluice.telemetry.meter.VersionMeter;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * Counts the responses of one stream on their way to its reader. The time of a response begins when
 * the one before was sent; while the reader wants none, none is made and no time counts. Of the
 * reader's event loop.
 */
public final class CountedResponses
    implements Flow.Subscriber<InferenceResponse>, Flow.Subscription {
  private final VersionMeter meter;
  private final Flow.Subscriber<? super InferenceResponse> reader;
  private Flow.@Nullable Subscription stream;

  /** Responses that the reader has asked for and not got. */
  private long wanted;

  private long sinceNanos;
  private long place;

  /** True once the rest of the stream was counted, or nothing more is. */
  private boolean over;

  public CountedResponses(VersionMeter meter, Flow.Subscriber<? super InferenceResponse> reader) {
    this.meter = meter;
    this.reader = reader;
    this.sinceNanos = meter.now();
  }

  @Override
  public void onSubscribe(Flow.Subscription given) {
    stream = given;
    reader.onSubscribe(this);
  }

  @Override
  public void request(long count) {
    if (wanted == 0) {
      sinceNanos = meter.now();
    }
    wanted = Math.min(Long.MAX_VALUE / 2, wanted + Math.min(Long.MAX_VALUE / 2, count));
    if (stream != null) {
      stream.request(count);
    }
  }

  @Override
  public void onNext(InferenceResponse response) {
    long made = meter.now();
    long number = place++;
    wanted--;
    over = over || response.last();
    meter.responses().made(number, made - sinceNanos);
    reader.onNext(response);
    sinceNanos = meter.now();
    meter.responses().sent(number, sinceNanos - made);
  }

  @Override
  public void onError(Throwable failure) {
    if (!over) {
      over = true;
      meter.responses().failed(place, meter.now() - sinceNanos);
    }
    reader.onError(failure);
  }

  @Override
  public void onComplete() {
    if (!over) {
      over = true;
      meter.responses().empty(place, meter.now() - sinceNanos);
    }
    reader.onComplete();
  }

  @Override
  public void cancel() {
    long begun = meter.now();
    if (stream != null) {
      stream.cancel();
    }
    if (!over) {
      over = true;
      meter.responses().cancelled(place, meter.now() - begun);
    }
  }
}
