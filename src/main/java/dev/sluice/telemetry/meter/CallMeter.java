package dev.sluice.telemetry.meter;

import dev.sluice.inference.ErrorCode;
import dev.sluice.telemetry.meter.Distribution.Exemplar;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Counts the calls to one model by one method of one protocol. Times are measured of those that
 * succeeded. Any thread.
 */
public final class CallMeter {
  private final LongAdder succeeded = new LongAdder();
  private final Map<ErrorCode, LongAdder> failed = new EnumMap<>(ErrorCode.class);

  /** From the first byte to the answer. */
  private final Histogram whole = new Histogram(Buckets.LATENCY);

  /** Time of decoding, until the model is called: KServe's preprocessing. */
  private final Histogram decoding = new Histogram(Buckets.LATENCY);

  /** From asking the model to its answer, waiting included. */
  private final Histogram asking = new Histogram(Buckets.LATENCY);

  /** From the model's answer to the caller's: KServe's postprocessing. */
  private final Histogram encoding = new Histogram(Buckets.LATENCY);

  /** Of calls whose answers are streamed; null before the first of them. */
  private volatile @Nullable Messages messages;

  /** The messages of streamed answers. Any thread. */
  public static final class Messages {
    private final LongAdder open = new LongAdder();
    private final Histogram first = new Histogram(Buckets.LATENCY);
    private final Histogram between = new Histogram(Buckets.LATENCY);

    private Messages() {}

    /** Records that an answer begins. */
    public void begun() {
      open.increment();
    }

    /** Records that an answer has ended, well or not. */
    public void ended() {
      open.decrement();
    }

    /** Records that the first message of an answer was sent so long after its call had begun. */
    public void first(long nanos) {
      first.add(nanos);
    }

    /** Records that a message was sent so long after the one before. */
    public void next(long nanos) {
      between.add(nanos);
    }

    /** Returns how many answers have begun and not ended. */
    public long open() {
      return open.sum();
    }

    /** Returns the times from the beginning of a call to its first message, in nanoseconds. */
    public Distribution first() {
      return first;
    }

    /** Returns the times from one message to the next, in nanoseconds. */
    public Distribution between() {
      return between;
    }
  }

  CallMeter() {
    for (ErrorCode code : ErrorCode.values()) {
      failed.put(code, new LongAdder());
    }
  }

  /** Counts a call that has ended well, from begin to end in nanoseconds. */
  public void succeeded(long begun, long ended) {
    succeeded.increment();
    whole.add(ended - begun);
  }

  /** Records a call that has asked its model. */
  public void succeeded(long begun, long asked, long answered, long ended) {
    succeeded(begun, ended);
    decoding.add(asked - begun);
    asking.add(answered - asked);
    encoding.add(ended - answered);
  }

  /** Keeps the span of a call that was counted as a success, beside the count of its time. */
  public void keep(Exemplar exemplar) {
    whole.keep(exemplar);
  }

  /** Counts a call that has failed. */
  public void failed(ErrorCode code) {
    count(code).increment();
  }

  private LongAdder count(ErrorCode code) {
    return Objects.requireNonNull(failed.get(code));
  }

  /** Returns the number of calls that ended well. */
  public long successes() {
    return succeeded.sum();
  }

  /** Returns the number of calls that failed so. */
  public long failures(ErrorCode code) {
    return count(code).sum();
  }

  /** Returns the number of calls that failed. */
  public long failures() {
    long all = 0;
    for (LongAdder code : failed.values()) {
      all += code.sum();
    }
    return all;
  }

  /** Returns the meter of streamed answers, made at the first. */
  public Messages messages() {
    Messages known = messages;
    return known == null ? begin() : known;
  }

  private synchronized Messages begin() {
    Messages known = messages;
    if (known == null) {
      known = new Messages();
      messages = known;
    }
    return known;
  }

  /** Returns the meter of streamed answers, or null if there were none. */
  public @Nullable Messages messagesSoFar() {
    return messages;
  }

  /** Returns the times of whole calls, in nanoseconds. */
  public Distribution whole() {
    return whole;
  }

  /** Returns the times of decoding, in nanoseconds. */
  public Distribution decoding() {
    return decoding;
  }

  /** Returns the times from the question to the answer of a model, in nanoseconds. */
  public Distribution asking() {
    return asking;
  }

  /** Returns the times of encoding, in nanoseconds. */
  public Distribution encoding() {
    return encoding;
  }
}
