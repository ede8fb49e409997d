package dev.sluice.serving;

import dev.sluice.inference.ComposingModelTimes;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.scheduling.stream.StreamScheduler;
import dev.sluice.telemetry.meter.FailureReason;
import dev.sluice.telemetry.meter.VersionMeter;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * Counts the streams of an ensemble: each is one request, answered when it has ended.
 *
 * @param next makes the streams
 * @param requests counts them as it counts requests that have one answer
 */
record MeteredEnsembleStreams(StreamScheduler next, MeteredEnsemble requests)
    implements StreamScheduler {
  @Override
  public void stream(
      InferenceRequest request, Flow.Subscriber<? super InferenceResponse> subscriber) {
    next.stream(request, new Counted(request, subscriber));
  }

  /** One stream. Of its reader's event loop. */
  private final class Counted implements Flow.Subscriber<InferenceResponse>, Flow.Subscription {
    private final VersionMeter meter = requests.meter();
    private final Flow.Subscriber<? super InferenceResponse> reader;
    private final long since = meter.now();
    private final long inferences;
    private final ComposingModelTimes times = new ComposingModelTimes();
    private final @Nullable ComposingModelTimes outer;
    private Flow.@Nullable Subscription stream;
    private boolean over;

    Counted(InferenceRequest request, Flow.Subscriber<? super InferenceResponse> reader) {
      this.reader = reader;
      this.inferences = requests.inferences(request);
      this.outer = request.times();
      request.addTimesTo(times);
    }

    @Override
    public void onSubscribe(Flow.Subscription given) {
      stream = given;
      reader.onSubscribe(this);
    }

    @Override
    public void onNext(InferenceResponse response) {
      reader.onNext(response);
    }

    @Override
    public void onError(Throwable failure) {
      if (!over) {
        over = true;
        meter.composedFailed(MeteredEnsemble.reason(failure), since);
      }
      reader.onError(failure);
    }

    @Override
    public void onComplete() {
      if (!over) {
        over = true;
        meter.composed(inferences, since, times);
        if (outer != null) {
          outer.add(times);
        }
      }
      reader.onComplete();
    }

    @Override
    public void request(long count) {
      if (stream != null) {
        stream.request(count);
      }
    }

    @Override
    public void cancel() {
      if (!over) {
        over = true;
        meter.composedFailed(FailureReason.CANCELED, since);
      }
      if (stream != null) {
        stream.cancel();
      }
    }
  }
}
