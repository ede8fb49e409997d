package dev.sluice.telemetry.meter;

import dev.sluice.inference.ComposingModelTimes;
import dev.sluice.inference.ModelId;
import dev.sluice.telemetry.meter.ModelStatistics.BatchTimes;
import dev.sluice.telemetry.meter.ModelStatistics.RequestTimes;
import dev.sluice.telemetry.meter.ModelStatistics.Times;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Metrics of one loaded version, from its load on. Any thread.
 *
 * <p>Run statistics are written by workers, one meter each, without contention; a scrape adds them
 * up. Triton's statistics extension and metrics are both made of this.
 */
public final class VersionMeter {
  private static final Times NEVER = new Times(0, 0);

  private final ModelId model;
  private final ConcurrentMap<ModelId, VersionMeter> shown;
  private final LongSupplier nanoTime;
  private final InstantSource clock;
  private final List<RunMeter> workers = new CopyOnWriteArrayList<>();
  private final List<SessionCondition> sessionConditions = new CopyOnWriteArrayList<>();
  private final List<RunCondition> conditions = new CopyOnWriteArrayList<>();
  private final Map<FailureReason, LongAdder> failures = new EnumMap<>(FailureReason.class);
  private final DurationAdder cacheHit = new DurationAdder();
  private final DurationAdder cacheMiss = new DurationAdder();
  private final DurationAdder unqueued = new DurationAdder();
  private final DurationAdder unqueuedFailures = new DurationAdder();
  private final LongAdder composedRows = new LongAdder();
  private final DurationAdder composedQueue = new DurationAdder();
  private final ComposedBatches composedBatches = new ComposedBatches();
  private final ResponseMeter responses = new ResponseMeter();

  /** By signature: the streams that have ended well. */
  private final ConcurrentMap<String, LongAdder> streams = new ConcurrentHashMap<>();

  private final LatencySummary.@Nullable OfVersion summaries;
  private volatile long loadNanos;

  /** Time of the last answer that was given without a worker. */
  private volatile long lastMillis;

  private volatile IntSupplier waiting = () -> 0;
  private volatile IntSupplier inFlight = () -> 0;
  private volatile LongSupplier cacheBytes = () -> 0;
  private volatile IntSupplier cacheWaiting = () -> 0;
  private volatile LongSupplier preemptions = () -> 0;
  private volatile Optional<Tokens> tokens = Optional.empty();

  /**
   * @param shown the versions that the page shows
   * @param summaries get every request's latencies too; null: none is configured
   */
  public VersionMeter(
      ModelId model,
      ConcurrentMap<ModelId, VersionMeter> shown,
      LongSupplier nanoTime,
      InstantSource clock,
      LatencySummary.@Nullable OfVersion summaries) {
    this.summaries = summaries;
    this.model = model;
    this.shown = shown;
    this.nanoTime = nanoTime;
    this.clock = clock;
    for (FailureReason reason : FailureReason.values()) {
      failures.put(reason, new LongAdder());
    }
  }

  /** Returns the model and version that the metrics belong to. */
  public ModelId model() {
    return model;
  }

  /**
   * Records that the version takes requests from now on, in place of what was loaded as this
   * version before.
   */
  public void show() {
    shown.put(model, this);
  }

  /** Records that the version is unloaded. */
  public void forget() {
    shown.remove(model, this);
  }

  /** Returns the meter of one worker, which alone writes it. */
  public RunMeter worker() {
    var worker = new RunMeter(nanoTime, clock, summaries);
    workers.add(worker);
    return worker;
  }

  /**
   * Says how the page learns how many requests wait.
   *
   * @param size for any thread
   */
  public void queue(IntSupplier size) {
    waiting = size;
  }

  /**
   * Says how the page learns of the memory for what streams keep from step to step.
   *
   * @param reserved bytes, for any thread
   * @param streams that wait for memory, for any thread
   * @param preempted how often a stream was preempted, for any thread
   */
  public void streamCaches(LongSupplier reserved, IntSupplier streams, LongSupplier preempted) {
    cacheBytes = reserved;
    cacheWaiting = streams;
    preemptions = preempted;
  }

  /** Returns the bytes that are reserved for what streams keep from step to step. */
  public long cacheBytes() {
    return cacheBytes.getAsLong();
  }

  /**
   * Figures of the tokens of a model that generates text; each may be asked on any thread.
   *
   * @param computed tokens of prompts that were computed
   * @param reused tokens of prompts that were not, since an earlier prompt had them
   * @param generated tokens that were chosen
   * @param keptBytes what is kept for the next prompts
   */
  public record Tokens(
      LongSupplier computed, LongSupplier reused, LongSupplier generated, LongSupplier keptBytes) {}

  /** Says how the page learns of tokens. */
  public void tokens(Tokens figures) {
    tokens = Optional.of(figures);
  }

  /** Returns the figures of tokens; empty if the model has none. */
  public Optional<Tokens> tokens() {
    return tokens;
  }

  /** Returns how often a stream was preempted. */
  public long preemptions() {
    return preemptions.getAsLong();
  }

  /** Returns how many streams wait for memory. */
  public int cacheWaiting() {
    return cacheWaiting.getAsInt();
  }

  /**
   * Says how the page learns how many requests were admitted and have not ended.
   *
   * @param requests for any thread
   */
  public void admitted(IntSupplier requests) {
    inFlight = requests;
  }

  /** Shows how its runs are, too. */
  public void add(RunCondition runs) {
    conditions.add(runs);
  }

  /** Shows how its sessions are, too. */
  public void add(SessionCondition sessions) {
    sessionConditions.add(sessions);
  }

  /** Returns the conditions of its sessions. */
  public List<SessionCondition> sessions() {
    return sessionConditions;
  }

  /** Returns the worst state of its circuit breakers: 0 closed, 1 half open, 2 open. */
  public int breaker() {
    return conditions.stream().mapToInt(RunCondition::breaker).max().orElse(0);
  }

  /** Returns for how long the longest run in flight has run. */
  public long longestRunNanos() {
    return conditions.stream().mapToLong(RunCondition::longestRunNanos).max().orElse(0);
  }

  /** Returns how many of its runs go on although nothing waits for them. */
  public int abandonedRuns() {
    return conditions.stream().mapToInt(RunCondition::abandonedRuns).sum();
  }

  /** Returns how many workers it has. */
  public int workers() {
    return conditions.stream().mapToInt(RunCondition::workers).sum();
  }

  /** Returns how many of its workers are in a run. */
  public int busyWorkers() {
    return conditions.stream().mapToInt(RunCondition::busyWorkers).sum();
  }

  /** Records that the version was loaded and warmed up, and how long that took. */
  public void loaded(long nanos) {
    loadNanos = nanos;
  }

  /** Now, by the clock that it measures with. */
  public long now() {
    return nanoTime.getAsLong();
  }

  /** Records that a request never came to run: it was refused. Any thread. */
  public void refused(FailureReason reason) {
    failed(reason, 0);
  }

  /** Records that a request that was accepted failed where no worker counts it. Any thread. */
  public void failed(FailureReason reason, long nanos) {
    refusals(reason).increment();
    unqueuedFailures.add(nanos);
  }

  /**
   * Records that a request was answered from a cache.
   *
   * @param lookupNanos how long it took to find it there
   * @param wholeNanos the whole time of the request
   */
  public void cacheHit(long lookupNanos, long wholeNanos) {
    lastMillis = clock.millis();
    cacheHit.add(lookupNanos);
    composedQueue.add(0);
    unqueued.add(wholeNanos);
    if (summaries != null) {
      long now = now();
      summaries.request.add(wholeNanos, 1, now);
      summaries.queue.add(0, 1, now);
      summaries.cacheHit.add(lookupNanos, 1, now);
    }
  }

  /**
   * Records that a request was not in the cache: how long it took to look, and to put the answer
   * there.
   */
  public void cacheMiss(long nanos) {
    cacheMiss.add(nanos);
    if (summaries != null) {
      summaries.cacheMiss.add(nanos, 1, now());
    }
  }

  /**
   * Records that a request was answered by other models that this one is composed of.
   *
   * @param inferences its rows
   * @param sinceNanos when it came
   * @param times of all their runs for it
   */
  public void composed(long inferences, long sinceNanos, ComposingModelTimes times) {
    lastMillis = clock.millis();
    composedRows.add(inferences);
    composedQueue.add(times.queue());
    composedBatches.add(inferences, times);
    long now = now();
    unqueued.add(now - sinceNanos);
    if (summaries != null) {
      summaries.request.add(now - sinceNanos, 1, now);
      summaries.queue.add(times.queue(), 1, now);
      summaries.input.add(times.input(), 1, now);
      summaries.infer.add(times.infer(), 1, now);
      summaries.output.add(times.output(), 1, now);
    }
  }

  /**
   * Records that a stream has ended well: one request, whose steps are counted as runs. Any thread.
   *
   * @param signature the one that it asked
   * @param sinceNanos when it began to wait for its first step
   */
  public void streamed(String signature, long sinceNanos) {
    lastMillis = clock.millis();
    long now = now();
    streams.computeIfAbsent(signature, _ -> new LongAdder()).increment();
    unqueued.add(now - sinceNanos);
    if (summaries != null) {
      summaries.request.add(now - sinceNanos, 1, now);
    }
  }

  /** Records that a request that was accepted left the queue without having run. Any thread. */
  public void withdrawn(FailureReason reason, long sinceNanos) {
    failed(reason, now() - sinceNanos);
  }

  /** Records that a request to other models that this one is composed of failed. */
  public void composedFailed(FailureReason reason, long sinceNanos) {
    failed(reason, now() - sinceNanos);
  }

  /** Returns the metrics of its streams, if requests may have any number of responses. */
  public ResponseMeter responses() {
    return responses;
  }

  /** Requests in the queue now. */
  public int waiting() {
    return waiting.getAsInt();
  }

  /** Returns the number of requests that were admitted and have not ended, those that wait too. */
  public int inFlight() {
    return inFlight.getAsInt();
  }

  /** Returns the requests that were answered, and the time that they took, waiting included. */
  public Times answered() {
    return sum(unqueued.times(), worker -> worker.success);
  }

  /** Returns its latencies of the last minute; null if none is configured. */
  public LatencySummary.@Nullable OfVersion summaries() {
    return summaries;
  }

  /** Returns the time that its load took, in nanoseconds. */
  public long loadNanos() {
    return loadNanos;
  }

  /** Returns the number of requests that failed for a reason. */
  public long failures(FailureReason reason) {
    long all = refusals(reason).sum();
    for (RunMeter worker : workers) {
      all += worker.failures(reason).get();
    }
    return all;
  }

  private LongAdder refusals(FailureReason reason) {
    return Objects.requireNonNull(failures.get(reason));
  }

  /** Returns the distribution of queue times of answered requests. */
  public List<Distribution> waitingTimes() {
    return workers.stream().map(worker -> (Distribution) worker.waiting).toList();
  }

  /** Returns the distribution of run times. */
  public List<Distribution> runLengths() {
    return workers.stream().map(worker -> (Distribution) worker.lengths).toList();
  }

  /** Returns all there is, at this moment. */
  public ModelStatistics statistics() {
    BatchTimes composed = composedBatches.all();
    return new ModelStatistics(
        model,
        Math.max(lastMillis, workers.stream().mapToLong(RunMeter::lastRunMillis).max().orElse(0)),
        composedRows.sum() + workers.stream().mapToLong(worker -> worker.rows.get()).sum(),
        composed.computeInfer().count()
            + workers.stream().mapToLong(worker -> worker.runs.get()).sum(),
        requests(composed),
        batches(),
        responses.statistics());
  }

  private RequestTimes requests(BatchTimes composed) {
    return new RequestTimes(
        sum(unqueued.times(), worker -> worker.success),
        sum(unqueuedFailures.times(), worker -> worker.fail),
        sum(composedQueue.times(), worker -> worker.queue),
        sum(composed.computeInput(), worker -> worker.input),
        sum(composed.computeInfer(), worker -> worker.infer),
        sum(composed.computeOutput(), worker -> worker.output),
        cacheHit.times(),
        cacheMiss.times());
  }

  private Times sum(Times first, Function<RunMeter, SingleWriterTimer> which) {
    Times all = first;
    for (RunMeter worker : workers) {
      all = which.apply(worker).plus(all);
    }
    return all;
  }

  private List<BatchTimes> batches() {
    var sizes = new TreeMap<Long, BatchTimes>();
    composedBatches.bySize().forEach(batch -> sizes.put(batch.size(), batch));
    for (RunMeter worker : workers) {
      for (BatchMeter batch : worker.batches) {
        sizes.compute(batch.size(), (_, other) -> plus(batch, other));
      }
    }
    return new ArrayList<>(sizes.values());
  }

  /** Requests answered and time computed, by signature. */
  public Map<String, Times> signatures() {
    var signatures = new TreeMap<String, Times>();
    for (RunMeter worker : workers) {
      for (SignatureMeter each : worker.signatures) {
        signatures.compute(
            each.name(), (_, before) -> each.infer.plus(before == null ? NEVER : before));
      }
    }
    streams.forEach((name, ended) ->
        signatures.computeIfPresent(
            name, (_, runs) -> new Times(runs.count() + ended.sum(), runs.nanos())));
    return signatures;
  }

  private static BatchTimes plus(BatchMeter batch, @Nullable BatchTimes other) {
    BatchTimes before = other == null ? new BatchTimes(batch.size(), NEVER, NEVER, NEVER) : other;
    return new BatchTimes(
        batch.size(),
        batch.input.plus(before.computeInput()),
        batch.infer.plus(before.computeInfer()),
        batch.output.plus(before.computeOutput()));
  }
}
