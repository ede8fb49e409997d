package dev.sluice.scheduling.ensemble;

import dev.sluice.inference.DataPlane;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.scheduling.stream.Demand;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Flow;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/*
 * How the responses of a member become responses of the ensemble
 *
 * Order.   Each response of a member that answers by a stream goes through all the steps behind it
 *          before the next one does, so responses keep their order. The member may compute one more
 *          meanwhile.
 * Demand.  A member is asked for responses only while the reader of the ensemble wants some: a
 *          slow reader slows all of them down.
 * Failure. Responses that a member gave before it failed go out before its failure does. Any other
 *          failure ends the stream at once; what runs is cancelled, and what it still brings closed.
 */

/**
 * One request for a stream on its way through members, at least one of which may answer by a
 * stream. On the event loop that asked, but for cancelling the request.
 */
abstract class StreamedRun implements Flow.Subscription {
  /**
   * Responses of a member that are asked for while one is under way, that one among them: so many
   * that a decoder is not parked, and its caches copied, while the event loop takes them.
   */
  private static final int AHEAD = 4;

  private final String ensemble;
  private final DataPlane members;
  private final InferenceRequest request;
  private final Flow.Subscriber<? super InferenceResponse> subscriber;
  private final Set<InferenceRequest> running = ConcurrentHashMap.newKeySet();

  /** The stream whose responses are made now, behind all the others; null if there is none. */
  private @Nullable Feed innermost;

  private long demand;
  private boolean begun;
  private boolean over;

  /**
   * @param request taken over
   */
  StreamedRun(
      String ensemble,
      DataPlane members,
      InferenceRequest request,
      Flow.Subscriber<? super InferenceResponse> subscriber) {
    this.ensemble = ensemble;
    this.members = members;
    this.request = request;
    this.subscriber = subscriber;
  }

  /** Begins with the first steps. Called once, if at all. */
  abstract void begin();

  /** Frees whatever the run itself holds, its request among it. Called once. */
  abstract void release();

  final InferenceRequest request() {
    return request;
  }

  /** Returns whether the subscriber is called no more. */
  final boolean isOver() {
    return over;
  }

  @Override
  public final void request(long count) {
    if (over) {
      return;
    }
    demand = Demand.sum(demand, count);
    if (!begun) {
      begun = true;
      request.onCancel(this::cancelRunning);
      begin();
    } else if (innermost != null) {
      innermost.ask();
    }
  }

  @Override
  public final void cancel() {
    if (!over) {
      request.cancel();
      stop();
    }
  }

  /** Cancels the runs in flight. Any thread. */
  private void cancelRunning() {
    running.forEach(InferenceRequest::cancel);
  }

  private void stop() {
    over = true;
    cancelRunning();
    for (Feed feed = innermost; feed != null; feed = feed.outer) {
      feed.stop();
    }
    innermost = null;
    release();
  }

  /** Asks a member for its one answer, which goes to {@code next} unless the run is over. */
  final void ask(EnsembleStep step, InferenceRequest part, Consumer<InferenceResponse> next) {
    enter(part);
    members
        .infer(part)
        .onComplete(
            response -> {
              running.remove(part);
              if (over) {
                response.close();
              } else {
                next.accept(response);
              }
            },
            failure -> {
              running.remove(part);
              fail(step, failure);
            });
  }

  private void enter(InferenceRequest part) {
    running.add(part);
    if (request.isCancelled()) {
      part.cancel();
    }
  }

  /** Asks a member for a stream, each of whose responses goes to {@code taker}. */
  final void stream(EnsembleStep step, InferenceRequest part, Taker taker) {
    enter(part);
    members.inferStream(part, new Feed(step, part, taker));
  }

  /** Gives the reader a response. It may have left afterwards. */
  final void emit(InferenceResponse response) {
    demand--;
    subscriber.onNext(response);
  }

  final void finish() {
    if (!over) {
      stop();
      subscriber.onComplete();
    }
  }

  final void fail(EnsembleStep step, Throwable failure) {
    if (!over) {
      stop();
      subscriber.onError(StepFailures.in(ensemble, step, failure));
    }
  }

  /** Consumer of the responses of a member. */
  interface Taker {
    /**
     * Leads a response, which it owns now, through the steps behind the member, and says {@link
     * Feed#passed} then.
     */
    void take(InferenceResponse response, Feed feed);

    /** Records that there are no more. */
    void ended();
  }

  /** The responses of one member. */
  final class Feed implements Flow.Subscriber<InferenceResponse> {
    private final EnsembleStep step;
    private final InferenceRequest part;
    private final Taker taker;
    private final @Nullable Feed outer = innermost;
    private final Queue<InferenceResponse> waiting = new ArrayDeque<>();
    private Flow.@Nullable Subscription member;
    private @Nullable Throwable failure;

    /** Responses that the member was asked for and that have not passed. */
    private int asked;

    /** True while a response is on its way through the steps behind. */
    private boolean busy;

    private boolean draining;
    private boolean complete;
    private boolean ended;

    private Feed(EnsembleStep step, InferenceRequest part, Taker taker) {
      this.step = step;
      this.part = part;
      this.taker = taker;
      innermost = this;
    }

    @Override
    public void onSubscribe(Flow.Subscription given) {
      member = given;
      if (over) {
        given.cancel();
      } else {
        ask();
      }
    }

    private void ask() {
      while (!over && !complete && member != null && asked < Math.min(demand, AHEAD)) {
        asked++;
        member.request(1);
      }
    }

    @Override
    public void onNext(InferenceResponse response) {
      if (over) {
        response.close();
      } else {
        waiting.add(response);
        drain();
      }
    }

    @Override
    public void onError(Throwable why) {
      failure = why;
      onComplete();
    }

    @Override
    public void onComplete() {
      complete = true;
      running.remove(part);
      drain();
    }

    /** Records that a response has passed all the steps behind the member. */
    void passed() {
      innermost = this;
      busy = false;
      asked--;
      ask();
      drain();
    }

    /**
     * Drains what passes at once in a loop; not entered again from within, so the stack stays flat.
     */
    private void drain() {
      if (draining) {
        return;
      }
      draining = true;
      while (!over && !busy && !waiting.isEmpty()) {
        busy = true;
        taker.take(waiting.remove(), this);
      }
      draining = false;
      if (complete && !over && !busy && !ended) {
        ended = true;
        end();
      }
    }

    private void end() {
      innermost = outer;
      if (failure == null) {
        taker.ended();
      } else {
        fail(step, failure);
      }
    }

    private void stop() {
      if (member != null) {
        member.cancel();
      }
      waiting.forEach(InferenceResponse::close);
      waiting.clear();
    }
  }
}
