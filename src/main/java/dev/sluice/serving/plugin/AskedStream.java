package dev.sluice.serving.plugin;

import dev.sluice.extension.Answer;
import dev.sluice.extension.Models;
import dev.sluice.inference.DataPlane;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.runtime.plugin.PluginFailure;
import dev.sluice.scheduling.deadline.CallerContexts;
import io.vertx.core.Context;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * A stream of another model that a plugin reads. An event loop copies what arrives, and the
 * plugin's thread takes it; one message is asked for ahead.
 */
final class AskedStream implements Flow.Subscriber<InferenceResponse> {
  /** What the plugin's thread waits for. */
  private sealed interface Event {}

  private record Message(Answer answer) implements Event {}

  /**
   * The end.
   *
   * @param failure null if the stream ended well
   */
  private record End(@Nullable Throwable failure) implements Event {}

  /** Messages that are asked for before the plugin has taken one: a decoder goes on meanwhile. */
  private static final int AHEAD = 4;

  private final CompletableFuture<Context> eventLoop = new CompletableFuture<>();
  private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();

  /** The event loop's, as all below. */
  private Flow.@Nullable Subscription subscription;

  private boolean left;

  /** Asks, on an event loop. Takes the request over. */
  void ask(CallerContexts contexts, DataPlane data, InferenceRequest request) {
    contexts
        .vertx()
        .runOnContext(_ -> {
          eventLoop.complete(contexts.current());
          data.inferStream(request, this);
        });
  }

  /** Gives every message to a reader, on this thread, until the stream has ended. */
  void read(Models.Reader reader) throws Exception {
    try {
      Event event = events.take();
      while (event instanceof Message(Answer answer)) {
        onEventLoop(this::askForMore);
        reader.take(answer);
        event = events.take();
      }
      if (event instanceof End(Throwable failure) && failure != null) {
        throw PluginFailure.refusal(PluginFailure.of(failure));
      }
    } finally {
      onEventLoop(this::leave);
    }
  }

  private void onEventLoop(Runnable action) {
    var _ = eventLoop.thenAccept(loop -> loop.runOnContext(_ -> action.run()));
  }

  private void askForMore() {
    if (!left && subscription != null) {
      subscription.request(1);
    }
  }

  private void leave() {
    left = true;
    if (subscription != null) {
      subscription.cancel();
    }
  }

  @Override
  public void onSubscribe(Flow.Subscription given) {
    subscription = given;
    if (left) {
      given.cancel();
    } else {
      given.request(AHEAD);
    }
  }

  @Override
  public void onNext(InferenceResponse response) {
    try {
      events.add(new Message(PluginModels.answer(response)));
    } catch (RuntimeException e) {
      events.add(new End(e));
    }
  }

  @Override
  public void onError(Throwable failure) {
    events.add(new End(failure));
  }

  @Override
  public void onComplete() {
    events.add(new End(null));
  }
}
