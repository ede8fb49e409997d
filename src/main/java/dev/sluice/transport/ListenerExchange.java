package dev.sluice.transport;

import dev.sluice.inference.Caller;
import dev.sluice.inference.Deadline;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.telemetry.CallRecord;
import dev.sluice.telemetry.EntryPoint;
import io.vertx.core.Future;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What an exchange of a listener keeps, whatever carries it. */
public abstract class ListenerExchange implements Exchange {
  private final ListenerContext context;
  private final String requestId;
  private final CallRecord record;
  private Deadline deadline = Deadline.NONE;
  private @Nullable Runnable whenGone;
  private boolean gone;

  /** Begins an exchange, with the deadline of the listener's settings. */
  protected ListenerExchange(ListenerContext context, EntryPoint entryPoint, String requestId) {
    this.context = context;
    this.requestId = requestId;
    this.record = context.record(entryPoint);
  }

  protected final ListenerContext context() {
    return context;
  }

  /**
   * Sets until when the answer is wanted: by the settings, by what carries the exchange and by its
   * headers, the earliest of them.
   *
   * @param carrier says when, by the time now
   * @throws InferenceException if a header says it in no form we know
   */
  protected final void readDeadline(
      LongFunction<Deadline> carrier, Function<CharSequence, @Nullable String> headers) {
    long now = context.nanoTime().getAsLong();
    deadline =
        context.deadline().earlier(carrier.apply(now)).earlier(TimeoutHeaders.read(headers, now));
  }

  /** Whether the caller went away before the answer was complete. */
  protected final boolean isGone() {
    return gone;
  }

  /** The caller went away before the answer was complete. */
  protected final void leave() {
    if (!gone) {
      gone = true;
      record.failed(ErrorCode.CANCELLED);
      cancel();
    }
  }

  /** Stops what is under way: nobody wants it any more. */
  protected final void cancel() {
    if (whenGone != null) {
      whenGone.run();
    }
  }

  @Override
  public final String requestId() {
    return requestId;
  }

  @Override
  public final Caller caller() {
    return context.caller();
  }

  @Override
  public final Deadline deadline() {
    return deadline;
  }

  @Override
  public final CallRecord record() {
    return record;
  }

  @Override
  public final <T> Future<T> compute(long bytes, Supplier<T> work) {
    return context.compute(bytes, work);
  }

  @Override
  public final void onGone(Runnable action) {
    whenGone = action;
    if (gone) {
      action.run();
    }
  }
}
