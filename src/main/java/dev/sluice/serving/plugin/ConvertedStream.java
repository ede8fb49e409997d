package dev.sluice.serving.plugin;

import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelLease;
import dev.sluice.tensor.NamedTensor;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * One stream of a model with a converter around it: the request is converted once, and then each
 * response, one after the other and only while the reader has demand.
 *
 * <p>Owner of the responses that wait for that, few at most, until the stream ends, and of a lease
 * of its own: the code is called after the model has given its last response, and released its
 * lease. On the reader's event loop.
 */
final class ConvertedStream implements Flow.Subscription, Flow.Subscriber<InferenceResponse> {
  /** Responses that the model may be ahead of the converter: it need not wait for each call. */
  private static final int AHEAD = 16;

  private final ConverterCalls calls;
  private final InferenceRequest request;
  private final Flow.Subscriber<? super InferenceResponse> reader;
  private final ConverterCalls.Before before;
  private final Queue<InferenceResponse> waiting = new ArrayDeque<>();
  private long demand;
  private boolean begun;
  private boolean modelIsDone;
  private boolean over;

  /** Why the model has failed; null if it has not. */
  private @Nullable Throwable failure;

  /**
   * Keeps the code loaded from when the model's own lease is the model's; null before and after.
   */
  private @Nullable ModelLease lease;

  private ConverterCalls.@Nullable Part<?> call;
  private Flow.@Nullable Subscription model;

  /**
   * @param request taken over
   */
  ConvertedStream(
      ConverterCalls calls,
      InferenceRequest request,
      Flow.Subscriber<? super InferenceResponse> reader) {
    this.calls = calls;
    this.request = request;
    this.reader = reader;
    this.before = calls.before(request);
  }

  @Override
  public void request(long count) {
    demand = demand + count < 0 ? Long.MAX_VALUE : demand + count;
    if (begun) {
      convertNext();
    } else if (!over) {
      begun = true;
      call = before;
      before.ask().onComplete(this::ask, this::fail);
    }
  }

  /** Asks the model, which owns from now on what the caller's request has owned. */
  private void ask(InferenceRequest step) {
    call = null;
    if (over) {
      step.close();
      return;
    }
    lease = request.model().again();
    InferenceRequest asked = request.handOver(calls.inner(), step.inputs(), List.of());
    NamedTensor.closeAll(request.inputs());
    calls.streams().stream(asked, this);
  }

  @Override
  public void onSubscribe(Flow.Subscription given) {
    model = given;
    given.request(AHEAD);
  }

  @Override
  public void onNext(InferenceResponse response) {
    if (over) {
      response.close();
      return;
    }
    waiting.add(response);
    convertNext();
  }

  private void convertNext() {
    if (over || call != null) {
      return;
    }
    if (failure != null && (waiting.isEmpty() || demand == 0)) {
      fail(failure);
    } else if (waiting.isEmpty()) {
      if (modelIsDone) {
        end();
        reader.onComplete();
      }
    } else if (demand > 0) {
      demand--;
      ConverterCalls.After after = calls.after(before, waiting.remove());
      call = after;
      after.begin().onComplete(this::send, this::fail);
    }
  }

  private void send(InferenceResponse response) {
    call = null;
    if (over) {
      response.close();
      return;
    }
    if (model != null && !modelIsDone) {
      model.request(1);
    }
    reader.onNext(response);
    convertNext();
  }

  @Override
  public void onComplete() {
    modelIsDone = true;
    convertNext();
  }

  /** Ends the stream behind what came before, but at once if the reader is slow. */
  @Override
  public void onError(Throwable why) {
    modelIsDone = true;
    failure = why;
    convertNext();
  }

  private void fail(Throwable why) {
    if (!over) {
      end();
      reader.onError(why);
    }
  }

  @Override
  public void cancel() {
    if (!over) {
      request.cancel();
      end();
    }
  }

  private void end() {
    over = true;
    if (call != null) {
      call.leave();
    }
    if (model == null) {
      request.close();
    } else if (!modelIsDone) {
      model.cancel();
    }
    waiting.forEach(InferenceResponse::close);
    waiting.clear();
    if (lease != null) {
      lease.release();
      lease = null;
    }
  }
}
