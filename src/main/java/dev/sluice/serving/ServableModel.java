package dev.sluice.serving;

import dev.sluice.config.model.BreakerConfig;
import dev.sluice.config.model.ModelConfig;
import dev.sluice.config.model.StreamConfig;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.ModelProblem;
import dev.sluice.inference.tokens.ModelTokenizer;
import dev.sluice.runtime.ModelSession;
import dev.sluice.scheduling.QueueScheduler;
import dev.sluice.scheduling.Scheduler;
import dev.sluice.scheduling.batching.BatchRules;
import dev.sluice.scheduling.batching.DynamicBatcher;
import dev.sluice.scheduling.batching.RunCancellation;
import dev.sluice.scheduling.breaker.CircuitBreaker;
import dev.sluice.scheduling.generator.Generator;
import dev.sluice.scheduling.prefix.PrefixCache;
import dev.sluice.scheduling.prefix.StreamTokens;
import dev.sluice.scheduling.queue.CacheBudget;
import dev.sluice.scheduling.queue.CancellableQueue;
import dev.sluice.scheduling.queue.ModelQueue;
import dev.sluice.scheduling.queue.PendingRequest;
import dev.sluice.scheduling.stream.QueuedStreams;
import dev.sluice.scheduling.stream.RowGroups;
import dev.sluice.scheduling.stream.StreamPlan;
import dev.sluice.scheduling.stream.StreamScheduler;
import dev.sluice.serving.ragged.RaggedSession;
import dev.sluice.serving.worker.CoalescedWakeUps;
import dev.sluice.serving.worker.ConcurrencyPolicy;
import dev.sluice.serving.worker.InlineLimit;
import dev.sluice.serving.worker.ModelInstances;
import dev.sluice.serving.worker.ModelRecovery;
import dev.sluice.serving.worker.ModelWorkerState;
import dev.sluice.serving.worker.ModelWorkerVerticle;
import dev.sluice.serving.worker.ModelWorkers;
import dev.sluice.serving.worker.RunMonitor;
import dev.sluice.serving.worker.SlowRunLog;
import dev.sluice.serving.worker.WorkerLimit;
import dev.sluice.serving.worker.WorkerPool;
import dev.sluice.telemetry.meter.VersionMeter;
import io.vertx.core.Context;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A loaded version with all that it takes to serve it: a queue, and for each session a worker of
 * its own.
 *
 * <p>Threads: made and closed on loading workers; {@link #scheduler} and {@link #streams} are for
 * event loops.
 */
public final class ServableModel implements Servable {
  private static final Logger LOG = LoggerFactory.getLogger(ServableModel.class);

  private final VersionComponents facts;
  private final WorkerPool pool;
  private final DynamicBatcher batcher;
  private final CircuitBreaker breaker;
  private final CancellableQueue cancellableQueue;
  private final BreakerConfig.Readiness readiness;
  private final Scheduler scheduler;
  private final StreamScheduler streams;
  private final Optional<Generator> generator;
  private final Optional<StreamLengths> lengths;
  private final Optional<ModelTokenizer> tokenizer;

  /** For streams, and for requests too unless event loops run what is short. */
  private final CoalescedWakeUps workerCalls = new CoalescedWakeUps(this::wakeOne);

  private final CoalescedWakeUps requestCalls;
  private final ModelWorkers workers;
  private final RunMonitor monitor;
  private long monitorTimer;

  private ServableModel(
      ModelMetadata metadata,
      ModelInstances instances,
      ModelConfig config,
      VersionMeter meter,
      WorkerPool pool) {
    LongSupplier nanoTime = pool.nanoTime();
    this.pool = pool;
    this.generator = generator(metadata, config, nanoTime);
    this.tokenizer = generator.flatMap(Generator::texts).or(instances.first()::tokenizer);
    this.lengths = generator.map(loop -> new StreamLengths(loop, metadata, meter.model(), config));
    var caches = new CacheBudget(config.stream().cacheMemory(), this::wakeOne);
    var queue = new ModelQueue(config.queue(), caches);
    keepPrefixes(instances, config, queue, meter);
    this.facts =
        VersionComponents.of(
            generator.map(loop -> loop.shown(metadata)).orElse(metadata),
            config,
            AdmissionController.of(config, meter, nanoTime),
            meter);
    meter.streamCaches(caches::reserved, caches::waiting, caches::preemptions);
    this.breaker = new CircuitBreaker(meter.model(), config.breaker(), nanoTime);
    this.readiness = config.breaker().readiness();
    this.cancellableQueue =
        new CancellableQueue(
            queue, meter, facts.admission()::expired, breaker, pool.contexts(), nanoTime);
    meter.queue(queue::size);
    BatchRules rules = rules(metadata, config, meter);
    InlineLimit inline = InlineLimit.of(config, instances);
    this.requestCalls = requestCalls(!inline.isNever());
    this.batcher =
        new DynamicBatcher(
            queue, rules, config.batching(), config.stream().prefillChunk(), nanoTime);
    this.scheduler = scheduler(queue, rules);
    this.streams = streams(queue, rules, config);
    this.workers = workers(instances, rules, config, inline);
    breaker.onFailing(workers::reopenSessions);
    this.monitor = monitor();
    meter.add(monitor);
  }

  private void keepPrefixes(
      ModelInstances instances, ModelConfig config, ModelQueue queue, VersionMeter meter) {
    if (generator.isEmpty() || lengths.isEmpty()) {
      return;
    }
    StreamConfig.Prefixes wanted = config.stream().prefixes();
    boolean apart = wanted.sharedBy() != StreamConfig.SharedBy.ALL;
    CacheBudget caches = queue.caches();
    var prefixes =
        new PrefixCache(
            PrefixCache.LEAST, wanted.limit(), caches::free, apart, queue::promptsAdvanced);
    caches.onReserved(prefixes::giveUp);
    lengths.get().join(instances.first(), prefixes);
    StreamTokens tokens = generator.get().tokens();
    meter.tokens(
        new VersionMeter.Tokens(
            tokens::computed, tokens::reused, tokens::generated, prefixes::bytes));
  }

  private CoalescedWakeUps requestCalls(boolean inline) {
    return inline ? new CoalescedWakeUps(this::wakeOne, this::runInline) : workerCalls;
  }

  private Scheduler scheduler(ModelQueue queue, BatchRules rules) {
    return new QueueScheduler(
        pool.contexts(),
        queue,
        rules::rows,
        request -> arrived(request, requestCalls),
        facts.meter(),
        pool.nanoTime(),
        cancellableQueue);
  }

  private StreamScheduler streams(ModelQueue queue, BatchRules rules, ModelConfig config) {
    StreamPlan plan = generator.isPresent() ? generator.get() : RowGroups.plan(groupRows(config));
    return new QueuedStreams(
        pool.contexts(),
        plan,
        queue,
        cancellableQueue,
        rules::rows,
        step -> arrived(step, workerCalls),
        facts.meter(),
        pool.nanoTime(),
        config.stream().maxStreams());
  }

  private ModelWorkers workers(
      ModelInstances instances, BatchRules rules, ModelConfig config, InlineLimit inline) {
    return new ModelWorkers(
        instances,
        work(rules, inline, instances.sessions()),
        facts.meter(),
        config.breaker().abandonedRuns(),
        WorkerLimit.of(config, instances, pool.concurrency().cores()),
        pool);
  }

  private ModelWorkerState work(BatchRules rules, InlineLimit inline, List<ModelSession> sessions) {
    VersionMeter meter = facts.meter();
    var recovery =
        new ModelRecovery(meter.model(), sessions, breaker, cancellableQueue::refuseWaiting);
    meter.add(recovery);
    return new ModelWorkerState(
        batcher,
        rules,
        breaker,
        this::wakeOne,
        inline,
        recovery,
        new ConcurrencyPolicy(rules),
        pool.nanoTime());
  }

  private RunMonitor monitor() {
    return new RunMonitor(
        workers,
        breaker,
        new SlowRunLog(facts.meter().model(), this::runs),
        cancellableQueue::refuseWaiting);
  }

  /** Returns which requests run together; warns of what keeps them apart. */
  private static BatchRules rules(ModelMetadata metadata, ModelConfig config, VersionMeter meter) {
    var rules =
        new BatchRules(
            config.batching(),
            metadata,
            RaggedSession.rows(meter.model(), config, metadata).orElse(null));
    rules
        .obstacles()
        .forEach((signature, reason) ->
            LOG.atWarn()
                .addKeyValue("model", meter.model())
                .addKeyValue("signature", signature)
                .addKeyValue("reason", reason)
                .log("requests are not joined: the model has no common batch dimension"));
    return rules;
  }

  private List<RunCancellation> runs() {
    return workers.all().stream().map(ModelWorkerVerticle::watch).toList();
  }

  private static Optional<Generator> generator(
      ModelMetadata metadata, ModelConfig config, LongSupplier nanoTime) {
    Optional<Generator> generator =
        config.stream()
            .generator()
            .map(
                loop -> new Generator(loop, metadata, loop.text().map(TextCodecs::read), nanoTime));
    if (config.stream().cacheMemory() > 0) {
      generator.ifPresent(Generator::requireKnownCaches);
    }
    return generator;
  }

  /** Returns the rows of a stream's group, by the settings or by what the model joins. */
  private static int groupRows(ModelConfig config) {
    int wanted = config.stream().rows();
    return wanted == 0 ? config.batching().maxBatchSize() : wanted;
  }

  /**
   * Puts sessions to work. Blocks until their workers are there. Owns the sessions from now on.
   *
   * @param config how its requests wait and join
   * @param meter counts its requests and runs
   */
  public static ServableModel start(
      ModelMetadata metadata,
      ModelInstances instances,
      ModelConfig config,
      VersionMeter meter,
      WorkerPool pool) {
    var model = new ServableModel(metadata, instances, config, meter, pool);
    model.workers.deploy();
    model.monitorTimer = model.monitor.start(pool.vertx(), config.breaker().hang());
    meter.show();
    return model;
  }

  @Override
  public VersionComponents facts() {
    return facts;
  }

  /** Returns one of its sessions, for trials before the model has requests. */
  public ModelSession session() {
    return workers.all().getFirst().session();
  }

  /** Returns which of its streams advance together; empty if it is not run in a loop. Blocks. */
  public Optional<String> streamAdvice() {
    return lengths.map(found -> found.advice(session()));
  }

  @Override
  public Scheduler scheduler() {
    return scheduler;
  }

  @Override
  public StreamScheduler streams() {
    return streams;
  }

  @Override
  public Optional<ModelTokenizer> tokenizer() {
    return tokenizer;
  }

  @Override
  public Optional<ModelProblem> problem() {
    return readiness == BreakerConfig.Readiness.NONE
        ? Optional.empty()
        : breaker
            .problem()
            .map(why -> new ModelProblem(why, readiness == BreakerConfig.Readiness.SERVER));
  }

  /** A worker that waits for its batch delay takes what arrives. */
  private void arrived(PendingRequest request, CoalescedWakeUps calls) {
    if (!batcher.arrived(request)) {
      calls.request(request.callerContext());
    }
  }

  private void runInline(Context eventLoop) {
    workers.runInline(eventLoop);
  }

  /** One request needs one worker. */
  private void wakeOne() {
    workers.wakeOne();
  }

  @Override
  public void giveUp(String why) {
    breaker.stop(why);
    cancellableQueue.refuseWaiting();
    InferenceException refusal = breaker.refusal();
    if (refusal != null) {
      workers.giveUp(refusal);
    }
  }

  /**
   * Blocks until the workers have stopped, then closes the sessions. Runs that hang are watched
   * until then: it waits for none that does not end.
   */
  @Override
  public void close() {
    meter().forget();
    scheduler.close();
    batcher.interrupt();
    workers.close();
    generator.ifPresent(Generator::close);
    pool.vertx().cancelTimer(monitorTimer);
  }
}
