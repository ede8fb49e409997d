package dev.sluice.testing;

import dev.sluice.inference.InferenceResponse;
import dev.sluice.tensor.NamedTensor;
import io.vertx.core.Context;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;

/** Reads a stream as slowly as a test wants, and keeps the numbers of each response. */
public final class StreamReader implements Flow.Subscriber<InferenceResponse> {
  private final Context callerContext;
  private final CompletableFuture<Flow.Subscription> subscription = new CompletableFuture<>();
  private final BlockingQueue<List<float[]>> responses = new LinkedBlockingQueue<>();
  private final CompletableFuture<Boolean> ended = new CompletableFuture<>();
  private volatile boolean last;

  /**
   * @param callerContext the event loop that asks
   */
  public StreamReader(Context callerContext) {
    this.callerContext = callerContext;
  }

  /** Opens a stream on the event loop. */
  public static StreamReader open(Context callerContext, Consumer<StreamReader> opener) {
    var reader = new StreamReader(callerContext);
    callerContext.runOnContext(_ -> opener.accept(reader));
    return reader;
  }

  /** Asks for so many responses more. */
  public StreamReader ask(long count) {
    onEventLoop(given -> given.request(count));
    return this;
  }

  /** Leaves. */
  public StreamReader leave() {
    onEventLoop(Flow.Subscription::cancel);
    return this;
  }

  /** A stream of text begins later, on a worker, for which the event loop must not wait. */
  private void onEventLoop(Consumer<Flow.Subscription> action) {
    callerContext.runOnContext(_ -> {
      var _ = subscription.thenAccept(action);
    });
  }

  /** The outputs of the next response, once it is there. */
  public List<float[]> next() throws InterruptedException {
    return responses.take();
  }

  /** How many responses are there that {@link #next} has not taken. */
  public int waiting() {
    return responses.size();
  }

  /** Whether the last response said that it is the last. */
  public boolean hadLast() {
    return last;
  }

  /** Waits for the end; throws what the stream ended with, if it failed. */
  public StreamReader end() throws Throwable {
    try {
      ended.join();
      return this;
    } catch (CompletionException e) {
      throw Objects.requireNonNull(e.getCause());
    }
  }

  @Override
  public void onSubscribe(Flow.Subscription given) {
    subscription.complete(given);
  }

  @Override
  public void onNext(InferenceResponse response) {
    try (response) {
      last = response.last();
      responses.add(
          response.outputs().stream()
              .map(NamedTensor::tensor)
              .filter(tensor -> tensor.type().isFixedSize())
              .map(Tensors::toFloats)
              .toList());
    }
  }

  @Override
  public void onError(Throwable failure) {
    ended.completeExceptionally(failure);
  }

  @Override
  public void onComplete() {
    ended.complete(true);
  }
}
