package dev.sluice.transport;

import dev.sluice.inference.Deadline;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Ends requests whose deadline expires while they arrive: their client sends slowly, or has stopped
 * to, or they wait for memory. When they have arrived, the queue and the model watch the deadline.
 * Polls, since most requests arrive at once: those cost no more than a place in a list. Of one
 * event loop.
 */
public final class ArrivalDeadlines {
  /** Interval of the polls, and so how much later than its deadline a request may end. */
  private static final long POLL_MILLIS = 10;

  private final Consumer<Runnable> later;
  private final LongSupplier nanoTime;
  private final List<Arrival> arrivals = new ArrayList<>();
  private boolean scheduled;

  /** Watches the requests of this event loop that a listener takes. */
  public ArrivalDeadlines(ListenerContext context) {
    this(action -> context.vertx().setTimer(POLL_MILLIS, _ -> action.run()), context.nanoTime());
  }

  /**
   * @param later runs an action on the event loop after {@link #POLL_MILLIS}
   * @param nanoTime the clock of deadlines
   */
  ArrivalDeadlines(Consumer<Runnable> later, LongSupplier nanoTime) {
    this.later = later;
    this.nanoTime = nanoTime;
  }

  /** A request that arrives, from its head to the end of its body. */
  public static final class Arrival {
    private static final int ENDED = -1;

    private final List<Arrival> arrivals;
    private final Deadline deadline;
    private final Consumer<InferenceException> expire;

    /** In the list. */
    private int place;

    private Arrival(
        List<Arrival> arrivals, Deadline deadline, Consumer<InferenceException> expire, int place) {
      this.arrivals = arrivals;
      this.deadline = deadline;
      this.expire = expire;
      this.place = place;
    }

    /** Ends the arrival: the request is whole, or has failed. Ending it again does nothing. */
    public void end() {
      if (place == ENDED) {
        return;
      }
      Arrival last = arrivals.removeLast();
      if (place < arrivals.size()) {
        arrivals.set(place, last);
        last.place = place;
      }
      place = ENDED;
    }
  }

  /**
   * Begins an arrival.
   *
   * @param deadline of a request that has one
   * @param expire is called with DEADLINE_EXCEEDED if the deadline expires before {@link
   *     Arrival#end}
   */
  public Arrival begin(Deadline deadline, Consumer<InferenceException> expire) {
    var arrival = new Arrival(arrivals, deadline, expire, arrivals.size());
    arrivals.add(arrival);
    schedule();
    return arrival;
  }

  private void schedule() {
    if (!scheduled) {
      scheduled = true;
      later.accept(this::poll);
    }
  }

  private void poll() {
    scheduled = false;
    if (!arrivals.isEmpty()) {
      // Before any is ended, so that a failure there stops no later poll.
      schedule();
    }
    long now = nanoTime.getAsLong();
    for (Arrival arrival : arrivals.stream().filter(any -> any.deadline.hasPassed(now)).toList()) {
      // An earlier one may have ended this one too.
      if (arrival.place != Arrival.ENDED) {
        arrival.end();
        arrival.expire.accept(
            new InferenceException(
                ErrorCode.DEADLINE_EXCEEDED,
                "Request timeout expired before the request had arrived"));
      }
    }
  }
}
