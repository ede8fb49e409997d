package dev.sluice.serving.worker;

import io.vertx.core.Context;
import io.vertx.core.Handler;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Wakes a model's workers for what event loops put into its queue: once for all that one turn of an
 * event loop brought, at the turn's end. To wake a thread costs more than to run many a small
 * model, and the answers could not leave before the turn's end anyway. A turn that brings much
 * wakes a worker before that.
 *
 * <p>Threads: any; each event loop has its own turn.
 */
public final class CoalescedWakeUps {
  /** Requests of one turn that a worker is woken for at once: enough to keep it busy. */
  private static final int MOST_DEFERRED = 16;

  private final Runnable wakeOne;
  private final Consumer<Context> atTurnEnd;
  private final int mostDeferred;

  /**
   * Of each event loop. Between turns nothing in it refers to this object, so that no event loop
   * keeps a model that was unloaded.
   */
  @SuppressWarnings("ThreadLocalUsage") // Its entries are cleared when this object is collected.
  private final ThreadLocal<Turn> turns = ThreadLocal.withInitial(Turn::new);

  /**
   * @param wakeOne wakes a worker, unless all are awake
   */
  public CoalescedWakeUps(Runnable wakeOne) {
    this(wakeOne, _ -> wakeOne.run(), MOST_DEFERRED);
  }

  /**
   * Lets an event loop do the workers' work at the end of its turn, if it can.
   *
   * @param wakeOne wakes a worker, for requests that no event loop has brought
   * @param atTurnEnd runs what waits, or sees to it that a worker does; is given the event loop
   */
  public CoalescedWakeUps(Runnable wakeOne, Consumer<Context> atTurnEnd) {
    this(wakeOne, atTurnEnd, Integer.MAX_VALUE);
  }

  private CoalescedWakeUps(Runnable wakeOne, Consumer<Context> atTurnEnd, int mostDeferred) {
    this.wakeOne = wakeOne;
    this.atTurnEnd = atTurnEnd;
    this.mostDeferred = mostDeferred;
  }

  /**
   * Records that a request arrived that no worker was woken for. From a thread that has no turns, a
   * worker is woken.
   */
  public void request(Context eventLoop) {
    if (Context.isOnEventLoopThread()) {
      turns.get().request(this, eventLoop);
    } else {
      wakeOne.run();
    }
  }

  private static final class Turn implements Handler<@Nullable Void> {
    private int requests;
    private @Nullable CoalescedWakeUps wakeUps;
    private @Nullable Context eventLoop;

    void request(CoalescedWakeUps caller, Context callerEventLoop) {
      requests++;
      if (requests == 1) {
        wakeUps = caller;
        eventLoop = callerEventLoop;
        callerEventLoop.runOnContext(this);
      } else if (requests == caller.mostDeferred) {
        caller.wakeOne.run();
      }
    }

    /** The end of the turn: what an event loop has been given to run comes after what it reads. */
    @Override
    public void handle(@Nullable Void nothing) {
      Consumer<Context> atTurnEnd = Objects.requireNonNull(wakeUps).atTurnEnd;
      Context ended = Objects.requireNonNull(eventLoop);
      requests = 0;
      wakeUps = null;
      eventLoop = null;
      atTurnEnd.accept(ended);
    }
  }
}
