package dev.sluice.serving.stream;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceResponse;
import io.vertx.core.Context;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * A stream on its way to its reader, which may be ended before the model has ended. Of the reader's
 * event loop, except that it may be given up from anywhere.
 */
public final class OpenStream
    implements Flow.Subscriber<InferenceResponse>, Flow.Subscription, OpenStreams.Stream {
  private final OpenStreams streams;
  private final Flow.Subscriber<? super InferenceResponse> reader;
  private final Context callerContext;
  private Flow.@Nullable Subscription model;
  private boolean done;

  public OpenStream(
      OpenStreams streams,
      Flow.Subscriber<? super InferenceResponse> reader,
      Context callerContext) {
    this.streams = streams;
    this.reader = reader;
    this.callerContext = callerContext;
  }

  @Override
  public void onSubscribe(Flow.Subscription given) {
    model = given;
    streams.enter(this);
    reader.onSubscribe(this);
  }

  /** Closes responses that are still in flight to a reader whose stream was ended. */
  @Override
  public void onNext(InferenceResponse response) {
    if (done) {
      response.close();
    } else {
      reader.onNext(response);
    }
  }

  @Override
  public void onError(Throwable failure) {
    if (leave()) {
      reader.onError(failure);
    }
  }

  @Override
  public void onComplete() {
    if (leave()) {
      reader.onComplete();
    }
  }

  @Override
  public void request(long count) {
    if (model != null) {
      model.request(count);
    }
  }

  @Override
  public void cancel() {
    if (leave() && model != null) {
      model.cancel();
    }
  }

  @Override
  public void giveUp(InferenceException why) {
    callerContext.runOnContext(_ -> {
      if (!done) {
        cancel();
        reader.onError(why);
      }
    });
  }

  /** False if it has left already. */
  private boolean leave() {
    boolean first = !done;
    done = true;
    streams.leave(this);
    return first;
  }
}
