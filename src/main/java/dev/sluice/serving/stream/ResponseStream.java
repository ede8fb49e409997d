package dev.sluice.serving.stream;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceResponse;
import io.vertx.core.Context;
import java.util.Objects;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * State machine of one stream, between the model that makes responses and the reader that a
 * protocol handler sends them with: whichever protocol and transport it is, the stream is open,
 * counted and ended here, once.
 *
 * <pre>
 * state   event                      next        what happens
 * ------  -------------------------  ----------  ---------------------------------------------
 * OPEN    reader requests            OPEN        the demand goes to the model
 * OPEN    model gives a response     OPEN        it goes to the reader
 * OPEN    model completes            COMPLETED   the reader completes
 * OPEN    model fails, or expires    FAILED      the reader fails
 * OPEN    reader cancels, or throws  CANCELLED   the model is cancelled
 * OPEN    reader requests 0 or less  FAILED      the model is cancelled, the reader fails
 * OPEN    server stops               STOPPED     the model is cancelled, the reader fails
 * ended   model gives a response     (the same)  the response is closed: it was in flight
 * ended   anything else              (the same)  nothing
 * </pre>
 *
 * <p>A model need not keep from its reader what comes after the end: it does not pass here.
 *
 * <p>Threads: the reader's event loop, except that {@link #giveUp} comes from any.
 */
public final class ResponseStream
    implements Flow.Subscriber<InferenceResponse>, Flow.Subscription, OpenStreams.Stream {
  private static final Logger LOG = LoggerFactory.getLogger(ResponseStream.class);

  private final OpenStreams streams;
  private final StreamMeter meter;
  private final Flow.Subscriber<? super InferenceResponse> reader;
  private final Context callerContext;
  private Flow.@Nullable Subscription model;
  private StreamState state = StreamState.OPEN;

  /**
   * @param streams lists it while it is open
   * @param callerContext the reader's event loop
   */
  public ResponseStream(
      OpenStreams streams,
      StreamMeter meter,
      Flow.Subscriber<? super InferenceResponse> reader,
      Context callerContext) {
    this.streams = streams;
    this.meter = meter;
    this.reader = reader;
    this.callerContext = callerContext;
  }

  @Override
  public void onSubscribe(Flow.Subscription given) {
    model = given;
    streams.enter(this);
    reader.onSubscribe(this);
  }

  @Override
  public void onNext(InferenceResponse response) {
    if (state != StreamState.OPEN) {
      response.close();
      return;
    }
    meter.made(response);
    try {
      reader.onNext(response);
    } catch (RuntimeException e) {
      broken(e);
      return;
    }
    meter.sent();
  }

  private void broken(RuntimeException failure) {
    LOG.error("what reads a stream failed", failure);
    cancel();
  }

  @Override
  public void onError(Throwable failure) {
    if (end(StreamState.FAILED)) {
      meter.ended(StreamState.FAILED, failure);
      fail(failure);
    }
  }

  private void fail(Throwable failure) {
    try {
      reader.onError(failure);
    } catch (RuntimeException e) {
      broken(e);
    }
  }

  @Override
  public void onComplete() {
    if (end(StreamState.COMPLETED)) {
      meter.ended(StreamState.COMPLETED, null);
      try {
        reader.onComplete();
      } catch (RuntimeException e) {
        broken(e);
      }
    }
  }

  @Override
  public void request(long count) {
    if (count <= 0) {
      stop(
          StreamState.FAILED,
          new IllegalArgumentException("asked for " + count + " responses, wanted one at least"));
    } else if (state == StreamState.OPEN) {
      meter.requested(count);
      model().request(count);
    }
  }

  @Override
  public void cancel() {
    if (end(StreamState.CANCELLED)) {
      meter.cancelling();
      model().cancel();
      meter.ended(StreamState.CANCELLED, null);
    }
  }

  @Override
  public void giveUp(InferenceException why) {
    callerContext.runOnContext(_ -> stop(StreamState.STOPPED, why));
  }

  private void stop(StreamState how, Throwable why) {
    if (end(how)) {
      model().cancel();
      meter.ended(how, why);
      fail(why);
    }
  }

  private Flow.Subscription model() {
    return Objects.requireNonNull(model, "the stream has begun");
  }

  /** Ends the stream; false if it has ended already. */
  private boolean end(StreamState how) {
    boolean first = state == StreamState.OPEN;
    if (first) {
      state = how;
      streams.leave(this);
    }
    return first;
  }
}
