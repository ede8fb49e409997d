package dev.sluice.serving.plugin;

import dev.sluice.extension.Answer;
import dev.sluice.extension.Emitter;
import dev.sluice.extension.StreamingModel;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.runtime.plugin.PluginCall;
import dev.sluice.telemetry.meter.RunMeter;
import io.vertx.core.Context;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.Flow;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * One stream of a plugin. The code runs on a thread of its own and waits there for the reader's
 * demand; what it emits goes to the event loop, where the reader lives.
 */
final class PluginStream extends PluginCall<Boolean> implements Flow.Subscription, Emitter {
  /** More than any reader needs: from here on demand is unbounded. */
  private static final int UNBOUNDED = 1 << 29;

  private final PluginVersion version;
  private final StreamingModel model;
  private final PluginResponses answers;
  private final InferenceRequest request;
  private final Flow.Subscriber<? super InferenceResponse> subscriber;
  private final Context callerContext;
  private final long since;
  private final Semaphore demand = new Semaphore(0);
  private @Nullable PluginRequest view;
  private volatile boolean lastSent;

  PluginStream(
      PluginVersion version,
      StreamingModel model,
      PluginResponses answers,
      InferenceRequest request,
      Flow.Subscriber<? super InferenceResponse> subscriber) {
    super(version.streaming(), version.code(), version.limit());
    this.version = version;
    this.model = model;
    this.answers = answers;
    this.request = request;
    this.subscriber = subscriber;
    this.callerContext = version.callerContext();
    this.since = version.nanoTime().getAsLong();
  }

  /** Begins. On the event loop. */
  void begin() {
    request.onCancel(() -> giveUp(PluginVersion.left(request)));
    if (request.isCancelled()) {
      giveUp(PluginVersion.left(request));
    } else {
      start(request.deadline());
    }
  }

  @Override
  public void request(long count) {
    if (demand.availablePermits() < UNBOUNDED) {
      demand.release((int) Math.min(count, UNBOUNDED));
    }
  }

  @Override
  public void cancel() {
    giveUp(PluginVersion.left(request));
  }

  @Override
  protected void prepare() {
    view = PluginRequest.of(request, this);
  }

  @Override
  protected Boolean call() throws Exception {
    RunMeter meter = version.meters().begin();
    request.runBegan(since, version.nanoTime().getAsLong());
    boolean ended = false;
    try {
      model.run(Objects.requireNonNull(view), this);
      ended = true;
    } finally {
      if (ended && !isOver()) {
        version.meters().answered(meter, since, request.times(), request.trace());
      } else {
        meter.failedRun(request, since, version.nanoTime().getAsLong());
        version.meters().end(meter);
      }
    }
    return true;
  }

  @Override
  public void emit(Answer message) throws InterruptedException {
    send(message, false);
  }

  @Override
  public void last(Answer message) throws InterruptedException {
    send(message, true);
  }

  @Override
  public boolean isCancelled() {
    return isOver();
  }

  private void send(Answer message, boolean last) throws InterruptedException {
    if (lastSent) {
      return;
    }
    waitForReader();
    synchronized (this) {
      if (isOver()) {
        throw new CancellationException("the stream was cancelled");
      }
      if (lastSent) {
        return;
      }
      lastSent = last;
      InferenceResponse response = answers.respond(request, message, last);
      callerContext.runOnContext(_ -> deliver(response));
    }
  }

  private void waitForReader() throws InterruptedException {
    pause();
    try {
      demand.acquire();
    } finally {
      resume();
    }
  }

  @Override
  protected void succeeded(Boolean result) {
    request.close();
    callerContext.runOnContext(_ -> subscriber.onComplete());
  }

  @Override
  protected void failed(InferenceException why) {
    version.meters().failed(why);
    request.close();
    // A thread that waits for the reader is notified.
    demand.release(UNBOUNDED);
    callerContext.runOnContext(_ -> subscriber.onError(why));
  }

  /** On the event loop. */
  private void deliver(InferenceResponse response) {
    subscriber.onNext(response);
    if (response.last()) {
      subscriber.onComplete();
    }
  }
}
