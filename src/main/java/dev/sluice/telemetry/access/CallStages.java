package dev.sluice.telemetry.access;

import dev.sluice.inference.BoundedText;
import dev.sluice.inference.ComposingModelTimes;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.telemetry.meter.Api;
import org.jspecify.annotations.Nullable;

/**
 * When one call reached which stage, and which model it asked. A stream asks any number of times:
 * it has the name of its first model, and the sums of all runs. The one source of what the access
 * log and {@code Server-Timing} say. Nanoseconds.
 *
 * <p>Threads: the event loop of the call, or the worker that decodes for it; once the call has
 * ended, the writer of the log.
 */
public final class CallStages {
  private static final int LONGEST_NAME = 256;

  /** A stage that the call did not reach, or a version that was not found. */
  public static final long NONE = -1;

  private final long begun;
  private final ComposingModelTimes runs = new ComposingModelTimes();
  private long received;
  private long asked;
  private long answered;
  private long sending;
  private long ended;

  // Of the runs, as they were at the end.
  private long queued = NONE;
  private long ran = NONE;
  private long batchSize = NONE;

  // Of a call of many requests: how many are under way, and the time in which none was.
  private int open;
  private long idle;
  private long idleSince;
  private boolean hasRequests;

  private @Nullable Api api;
  private String model = "";
  private String traceId = "";
  private long version = NONE;
  private @Nullable ErrorCode error;

  /**
   * @param begun when the head of the call had arrived
   */
  public CallStages(long begun) {
    this.begun = begun;
    this.received = begun;
    this.idleSince = begun;
  }

  /** Records that one of a call's requests begins. */
  public void requestBegan(long now) {
    idle += open == 0 ? now - idleSince : 0;
    open++;
    hasRequests = true;
  }

  /** Records that a request which {@link #requestBegan} is over. */
  public void requestEnded(long now) {
    open--;
    idleSince = now;
  }

  /** Records what the call requests. */
  public void names(Api called, String name) {
    if (api == null) {
      api = called;
      names(name);
    }
  }

  /** Records the model that the call names. */
  public void names(String name) {
    if (model.isEmpty()) {
      model = BoundedText.cut(name, LONGEST_NAME);
    }
  }

  /** Records the trace that the call has a span in; empty if it has none after all. */
  public void traced(String id) {
    traceId = id;
  }

  /** Records that the whole body is there. */
  public void received(long now) {
    received = now;
  }

  /** Records that a model is asked, whose runs are timed. Before the request is handed over. */
  public void asked(InferenceRequest request, long now) {
    if (version == NONE) {
      version = request.model().id().version();
    }
    request.addTimesTo(runs);
    asked(now);
  }

  /** Records that a model is asked whose runs belong to others too. */
  public void asked(long now) {
    if (asked == 0) {
      asked = now;
    }
  }

  /** Records that the model has answered; of a stream, the last time. */
  public void answered(long now) {
    answered = now;
  }

  /** Records that the answer is made. */
  public void sending(long now) {
    if (sending == 0) {
      sending = now;
    }
  }

  /** Records the first failure. */
  public void failed(ErrorCode code) {
    if (error == null) {
      error = code;
    }
  }

  /** Records the end. A run that is under way yet counts until now. */
  public void ended(long now) {
    ended = now;
    if (runs.busy().isUsed()) {
      queued = runs.waited();
      ran = runs.ran(now);
      batchSize = runs.batchSize() == 0 ? NONE : runs.batchSize();
    } else if (hasAsked() && !hasRequests) {
      queued = leftModel(now) - asked;
    }
  }

  /** Returns the operation; null if none of a model's was asked for. */
  public @Nullable Api api() {
    return api;
  }

  /** Returns the trace that the call has a span in; empty if it has none. */
  public String traceId() {
    return traceId;
  }

  /** Returns the model's name in the request, of a model that there is or not; empty if none. */
  public String model() {
    return model;
  }

  /** Returns the version that was asked; {@link #NONE} if none was. */
  public long version() {
    return version;
  }

  /** Returns why the call failed; null if it did not. */
  public @Nullable ErrorCode error() {
    return error;
  }

  /**
   * Returns the time for which its runs have waited, or the call for a run that never came; {@link
   * #NONE} if no model was asked. Once it has ended.
   */
  public long queued() {
    return queued;
  }

  /** Returns the sum of the times of its runs; {@link #NONE} if there was none. As above. */
  public long ran() {
    return ran;
  }

  /** Returns the size of its largest run; {@link #NONE} if none has ended. As above. */
  public long batchSize() {
    return batchSize;
  }

  /** Returns the sums of the model's runs. */
  public ComposingModelTimes runs() {
    return runs;
  }

  /** Returns whether the call is one of many requests. */
  public boolean hasRequests() {
    return hasRequests;
  }

  /** Returns the time until now in which none of a call's requests was under way. */
  public long idle(long now) {
    return idle + (open == 0 ? now - idleSince : 0);
  }

  /** Returns when the head had arrived. */
  public long begun() {
    return begun;
  }

  /** Returns whether a model was asked. */
  public boolean hasAsked() {
    return asked != 0;
  }

  /** Returns when the call had its answer from the model, if it has one, or failed; or else now. */
  public long leftModel(long now) {
    if (answered != 0) {
      return answered;
    }
    return sending == 0 ? now : sending;
  }

  /** Returns the whole time. */
  public long total() {
    return ended - begun;
  }

  /** Returns the time until the whole body was there. */
  public long receiving() {
    return received - begun;
  }

  /** Returns the time until the model was asked; {@link #NONE} if it was not. */
  public long decoding() {
    return asked == 0 ? NONE : Math.max(0, asked - received);
  }

  /** Returns the time in which the answer was made of the tensors; {@link #NONE} if it was not. */
  public long encoding() {
    return answered == 0 || sending == 0 ? NONE : Math.max(0, sending - answered);
  }

  /** Returns the time until the answer was written; {@link #NONE} if there was none. */
  public long sendingTime() {
    return sending == 0 ? NONE : ended - sending;
  }
}
