package dev.sluice.telemetry.meter;

import dev.sluice.inference.ErrorCode;
import dev.sluice.telemetry.meter.Distribution.Exemplar;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

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
