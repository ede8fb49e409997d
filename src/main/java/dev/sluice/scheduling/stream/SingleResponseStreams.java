package dev.sluice.scheduling.stream;

import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.scheduling.Scheduler;
import java.util.concurrent.Flow;

/**
 * Streams of one response each, for models that know no other answer.
 *
 * @param scheduler answers the requests
 */
public record SingleResponseStreams(Scheduler scheduler) implements StreamScheduler {
  @Override
  public void stream(
      InferenceRequest request, Flow.Subscriber<? super InferenceResponse> subscriber) {
    subscriber.onSubscribe(new Whole(request, subscriber));
  }

  /** Asks once anything is asked for. On one event loop. */
  private final class Whole implements Flow.Subscription {
    private final InferenceRequest request;
    private final Flow.Subscriber<? super InferenceResponse> subscriber;
    private boolean asked;

    Whole(InferenceRequest request, Flow.Subscriber<? super InferenceResponse> subscriber) {
      this.request = request;
      this.subscriber = subscriber;
    }

    @Override
    public void request(long count) {
      if (!asked) {
        asked = true;
        scheduler.submit(request).onComplete(this::answer, subscriber::onError);
      }
    }

    @Override
    public void cancel() {
      request.cancel();
      if (!asked) {
        asked = true;
        request.close();
      }
    }

    private void answer(InferenceResponse response) {
      subscriber.onNext(response);
      subscriber.onComplete();
    }
  }
}
