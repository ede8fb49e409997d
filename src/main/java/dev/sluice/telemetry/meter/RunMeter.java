package dev.sluice.telemetry.meter;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.sluice.inference.ComposingModelTimes;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.RequestTrace;
import dev.sluice.inference.RequestTrace.JoinedRun;
import dev.sluice.telemetry.meter.Distribution.Exemplar;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Times and counts what one worker runs. A run for requests goes {@link #begin}, {@link
 * #computing}, {@link #computed}, {@link #answered} for each request, {@link #end}; one that fails
 * just begins again. Its caller says what time it is, by the clock of this meter: of a run of a few
 * microseconds, looking at the clock again and again is a good part.
 *
 * <p>Threads: the worker writes, with plain stores; any thread reads.
 */
public final class RunMeter {
  /** Sizes that are counted apart. A client may choose the rows of a request that runs alone. */
  private static final int MOST_SIZES = 1024;

  /** Signatures that are counted apart. A client may choose which of them are run together. */
  private static final int MOST_SIGNATURES = 256;

  private static final long NANOS_PER_MILLI = 1_000_000;

  private final LongSupplier nanoTime;
  private final InstantSource clock;

  final SingleWriterCounter rows = new SingleWriterCounter();
  final SingleWriterCounter runs = new SingleWriterCounter();
  final SingleWriterTimer success = new SingleWriterTimer();
  final SingleWriterTimer fail = new SingleWriterTimer();
  final SingleWriterTimer queue = new SingleWriterTimer();
  final SingleWriterTimer input = new SingleWriterTimer();
  final SingleWriterTimer infer = new SingleWriterTimer();
  final SingleWriterTimer output = new SingleWriterTimer();
  final RunHistogram waiting = new RunHistogram(Buckets.WAITING);
  final RunHistogram lengths = new RunHistogram(Buckets.LATENCY);
  private final Map<FailureReason, SingleWriterCounter> failures =
      new EnumMap<>(FailureReason.class);
  final List<BatchMeter> batches = new CopyOnWriteArrayList<>();
  final List<SignatureMeter> signatures = new CopyOnWriteArrayList<>();

  /** When the last run ended. */
  private final AtomicLong lastEnd = new AtomicLong();

  // The same by the clock of the day, found when it is asked for.
  @GuardedBy("this")
  private long shownEnd;

  @GuardedBy("this")
  private long shownMillis;

  // Of the run under way: touched by the worker alone.
  private BatchMeter batch = new BatchMeter(0);
  private SignatureMeter signature = new SignatureMeter("");
  private long size;
  private long begun;
  private long computing;
  private long computed;
  private int requests;
  private long requestRows;
  private long sinceSum;

  /** Those that are whole requests, and no steps of streams. */
  private int whole;

  private long wholeSinceSum;

  /** Gets the latencies of every request; null if none is configured. */
  private final LatencySummary.@Nullable OfVersion summaries;

  /** Of the requests of the run under way, when they began to wait; only for summaries. */
  private long[] since = new long[0];

  private boolean[] steps = new boolean[0];

  /** Requests that are traced, and when they began to wait. */
  private final List<Traced> traced = new ArrayList<>(0);

  /** Requests whose times are wanted elsewhere too, and when they began to wait. */
  private final List<Timed> timed = new ArrayList<>(0);

  private record Traced(RequestTrace trace, long sinceNanos) {}

  private record Timed(ComposingModelTimes times, long sinceNanos) {}

  RunMeter(
      LongSupplier nanoTime, InstantSource clock, LatencySummary.@Nullable OfVersion summaries) {
    this.summaries = summaries;
    this.nanoTime = nanoTime;
    this.clock = clock;
    for (FailureReason reason : FailureReason.values()) {
      failures.put(reason, new SingleWriterCounter());
    }
  }

  /**
   * Requests have left the queue to run.
   *
   * @param batchSize their rows
   * @param signatureName the one that all of them ask
   */
  public void begin(long batchSize, String signatureName, long now) {
    size = batchSize;
    if (!signature.name().equals(signatureName)) {
      signature = signatureNamed(signatureName);
    }
    requests = 0;
    requestRows = 0;
    sinceSum = 0;
    whole = 0;
    wholeSinceSum = 0;
    traced.clear();
    timed.clear();
    begun = now;
    computing = now;
    computed = now;
  }

  /** Records that the inputs are put together, and the model begins. */
  public void computing(long now) {
    computing = now;
  }

  /** Records that the model is done, well or not. */
  public void computed(long now) {
    computed = now;
  }

  /** Returns how long the model ran last. The worker's. */
  public long computeNanos() {
    return computed - computing;
  }

  /** Records that one request of the run has its answer, which is all that it asked for. */
  public void answered(
      long sinceNanos,
      long batchSize,
      @Nullable ComposingModelTimes times,
      @Nullable RequestTrace trace) {
    answered(sinceNanos, batchSize, false, times, trace);
  }

  /**
   * Records that one request of the run has its answer.
   *
   * @param sinceNanos when it began to wait
   * @param batchSize its rows
   * @param isStep whether it is a step of a stream, which is counted as answered when it ends:
   *     {@link VersionMeter#streamed}
   * @param times where the times of its run are added up besides
   * @param trace what records it
   */
  public void answered(
      long sinceNanos,
      long batchSize,
      boolean isStep,
      @Nullable ComposingModelTimes times,
      @Nullable RequestTrace trace) {
    if (times != null) {
      timed.add(new Timed(times, sinceNanos));
    }
    if (summaries != null) {
      if (requests == since.length) {
        since = Arrays.copyOf(since, Math.max(8, 2 * requests));
        steps = Arrays.copyOf(steps, since.length);
      }
      since[requests] = sinceNanos;
      steps[requests] = isStep;
    }
    requests++;
    requestRows += batchSize;
    sinceSum += sinceNanos;
    if (!isStep) {
      whole++;
      wholeSinceSum += sinceNanos;
    }
    waiting.add(begun - sinceNanos);
    if (trace != null) {
      traced.add(new Traced(trace, sinceNanos));
    }
  }

  /**
   * Records that all answers are decided. To be called before they are sent: then who gets one
   * finds it counted.
   */
  public void end(long now) {
    // Before the count, by which readers know that there is a last run.
    lastEnd.lazySet(now);
    runs.add(1);
    lengths.add(computed - computing);
    rows.add(requestRows);
    success.add(whole, whole * now - wholeSinceSum);
    queue.add(requests, requests * begun - sinceSum);
    input.add(requests, requests * (computing - begun));
    infer.add(requests, requests * (computed - computing));
    signature.infer.add(whole, computed - computing);
    output.add(requests, requests * (now - computed));
    countBatch(now);
    if (summaries != null) {
      summarize(summaries, now);
    }
    if (!traced.isEmpty()) {
      writeTraces(now);
    }
    if (!timed.isEmpty()) {
      addTimes(now);
    }
  }

  private void addTimes(long now) {
    for (Timed each : timed) {
      each.times.joined(size);
      each.times.add(each.sinceNanos, begun, computing, computed, now);
    }
  }

  private void summarize(LatencySummary.OfVersion to, long now) {
    for (int i = 0; i < requests; i++) {
      if (!steps[i]) {
        to.request.add(now - since[i], 1, now);
      }
      to.queue.add(begun - since[i], 1, now);
    }
    to.input.add(computing - begun, requests, now);
    to.infer.add(computed - computing, requests, now);
    to.output.add(now - computed, requests, now);
  }

  private void writeTraces(long now) {
    JoinedRun joined = requests > 1 ? joined() : null;
    for (Traced each : traced) {
      each.trace.ran(each.sinceNanos, begun, computing, computed, now, joined);
      RequestTrace.SpanId span = each.trace.span();
      if (span != null) {
        long millis = clock.millis();
        waiting.keep(new Exemplar(span, begun - each.sinceNanos, millis));
        lengths.keep(new Exemplar(span, computed - computing, millis));
      }
    }
  }

  /** Returns the run under way for those of its requests that have spans; null if none has. */
  private @Nullable JoinedRun joined() {
    List<RequestTrace.SpanId> spans = new ArrayList<>(traced.size());
    for (Traced each : traced) {
      RequestTrace.SpanId span = each.trace.span();
      if (span != null) {
        spans.add(span);
      }
    }
    return spans.isEmpty() ? null : new JoinedRun(requests, size, spans);
  }

  private void countBatch(long now) {
    if (batch.size() != size) {
      batch = batchOfSize();
    }
    batch.input.add(1, computing - begun);
    batch.infer.add(1, computed - computing);
    batch.output.add(1, now - computed);
  }

  private SignatureMeter signatureNamed(String name) {
    for (SignatureMeter known : signatures) {
      if (known.name().equals(name)) {
        return known;
      }
    }
    var added = new SignatureMeter(name);
    if (signatures.size() < MOST_SIGNATURES) {
      signatures.add(added);
    }
    return added;
  }

  private BatchMeter batchOfSize() {
    for (BatchMeter known : batches) {
      if (known.size() == size) {
        return known;
      }
    }
    var added = new BatchMeter(size);
    if (batches.size() < MOST_SIZES) {
      batches.add(added);
    }
    return added;
  }

  /**
   * Records that a request that was accepted gets no answer.
   *
   * @param sinceNanos when it began to wait
   */
  public void failed(FailureReason reason, long sinceNanos) {
    failures(reason).add(1);
    fail.add(1, nanoTime.getAsLong() - sinceNanos);
  }

  /** Records of a request that its run has failed: where its times are wanted. The worker's. */
  public void failedRun(InferenceRequest request, long sinceNanos, long now) {
    ComposingModelTimes times = request.times();
    if (times != null) {
      times.joined(size);
      times.add(sinceNanos, begun, computing, computed, now);
    }
    RequestTrace trace = request.trace();
    if (trace != null) {
      trace.failed(sinceNanos, begun, now);
    }
  }

  SingleWriterCounter failures(FailureReason reason) {
    return Objects.requireNonNull(failures.get(reason));
  }

  /** Returns when the last run ended, in milliseconds since 1970; 0 if none has. Any thread. */
  synchronized long lastRunMillis() {
    long end = lastEnd.get();
    if (runs.get() > 0 && (shownMillis == 0 || shownEnd != end)) {
      shownEnd = end;
      shownMillis = clock.millis() - (nanoTime.getAsLong() - end) / NANOS_PER_MILLI;
    }
    return shownMillis;
  }
}
