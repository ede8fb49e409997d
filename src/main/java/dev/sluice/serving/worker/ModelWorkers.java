package dev.sluice.serving.worker;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.health.OutOfMemory;
import dev.sluice.runtime.ModelSession;
import dev.sluice.scheduling.ratelimit.InstancePermit;
import dev.sluice.telemetry.meter.RunMeter;
import dev.sluice.telemetry.meter.VersionMeter;
import io.vertx.core.Context;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * Which worker runs what
 *
 * Order.       One worker verticle for each session of the list, in its order: the first workers of all instances,
 *              then their second ones, and so on. The list is read from its beginning for each wake-up, so the
 *              first worker does all the work while it can: its caches are warm, and the others' threads sleep.
 * Waking.      A worker is woken by what arrives while it rests; one that takes a batch, or goes, and leaves
 *              something in the queue wakes the next one that rests. So no request waits for a run while a worker rests.
 * Further.     Where the settings leave the number of workers open, more are started when a run holds up others
 *              (ConcurrencyPolicy), and end when they were not needed for a while. They are not in the list: nothing that
 *              arrives wakes them before they are needed. If one of them is in a run that does not end, it has no
 *              replacement but the next further worker.
 * Sharing.     Workers of one instance run the same native session. Each has a ModelSession of its own over it, which
 *              owns what a run fills in: arguments, run options, known shapes, memory for outputs. The native
 *              session is freed by the last ModelSession that is closed, and outputs that lie in it hold it, too.
 *
 * What becomes of a run that does not end
 *
 * Abandoned.   Its callers are answered, and their model is given back. The worker, which is in the run, goes on
 *              with it and takes nothing more. When the run ends, the worker closes its session and ends.
 * Replacement. Another worker with a thread of its own opens another session, after the pauses of SessionRecovery
 *              if that fails, for want of memory too. Where several workers run one session, it joins them: a
 *              session beside theirs would have other variables. It has the place, the permit, and the queue of the other.
 *              A worker that cannot be started is tried again, after such pauses.
 * Limit.       A run that does not end costs a core and the memory of a session. So a model may leave only so many
 *              to themselves; the callers of one more are answered, and the breaker stays open.
 * Closing.     Nothing is opened any more, so there is no limit: closing waits for no such run.
 */

/**
 * The workers of one model, each with a session of its own or a share of one, and those in runs
 * that were abandoned. Owner of all their sessions and permits. Any thread, but {@link #deploy} and
 * {@link #close} block.
 */
public final class ModelWorkers {
  private static final Logger LOG = LoggerFactory.getLogger(ModelWorkers.class);

  private final ModelId model;
  private final ModelWorkerState work;
  private final VersionMeter meter;
  private final Supplier<ModelSession> opener;
  private final int mostAbandoned;
  private final Vertx vertx;
  private final String poolName;
  private final FurtherWorkers further;
  private final ConcurrencyMonitor monitor;
  private volatile List<ModelWorkerVerticle> workers;

  @GuardedBy("this")
  private final Map<ModelWorkerVerticle, Future<String>> deployments = new HashMap<>();

  @GuardedBy("this")
  private final Deque<RunMeter> freeMeters = new ArrayDeque<>();

  @GuardedBy("this")
  private int abandoned;

  @GuardedBy("this")
  private int replaced;

  @GuardedBy("this")
  private boolean limitIsLogged;

  @GuardedBy("this")
  private boolean closing;

  @GuardedBy("this")
  private int furtherStarted;

  @GuardedBy("this")
  private Future<?> ended = Future.succeededFuture();

  /**
   * @param mostAbandoned how many runs may be abandoned at once
   * @param limit how many there may be
   */
  public ModelWorkers(
      ModelInstances instances,
      ModelWorkerState work,
      VersionMeter meter,
      int mostAbandoned,
      WorkerLimit limit,
      WorkerPool pool) {
    this.model = meter.model();
    this.work = work;
    this.meter = meter;
    this.opener = instances.opener();
    this.mostAbandoned = mostAbandoned;
    this.vertx = pool.vertx();
    this.poolName = pool.name();
    this.monitor = pool.concurrency();
    this.further =
        new FurtherWorkers(meter.model(), limit, work, monitor, () -> workers, this::startFurther);
    List<ModelWorkerVerticle> made = new ArrayList<>();
    for (int i = 0; i < instances.sessions().size(); i++) {
      made.add(worker(instances.sessions().get(i), instances.permits().get(i), meter.worker()));
    }
    this.workers = List.copyOf(made);
  }

  private ModelWorkerVerticle worker(ModelSession session, InstancePermit permit, RunMeter runs) {
    return new ModelWorkerVerticle(work, session, permit, runs, _ -> true, this::abandonedRunEnded);
  }

  /** Puts all of them to work. Blocks until they are there. */
  public void deploy() {
    List<ModelWorkerVerticle> all = workers;
    for (ModelWorkerVerticle worker : all) {
      await(deploy(worker, poolName, all.size()));
      worker.begin();
    }
    monitor.add(this);
  }

  private synchronized Future<String> deploy(ModelWorkerVerticle worker, String pool, int threads) {
    var options =
        new DeploymentOptions()
            .setWorkerPoolName(pool)
            .setWorkerPoolSize(threads)
            // They never return while the model is there.
            .setMaxWorkerExecuteTime(Long.MAX_VALUE);
    Future<String> deployed = vertx.deployVerticle(worker, options);
    deployments.put(worker, deployed);
    return deployed;
  }

  /** Returns those that take requests. */
  public List<ModelWorkerVerticle> all() {
    List<ModelWorkerVerticle> more = further.all();
    return more.isEmpty() ? workers : Stream.concat(workers.stream(), more.stream()).toList();
  }

  FurtherWorkers further() {
    return further;
  }

  /** Returns how many cores its runs keep now. */
  int busyCores() {
    return further.coresOfARun() * (busy(workers) + busy(further.all()));
  }

  private static int busy(List<ModelWorkerVerticle> workers) {
    int busy = 0;
    for (int i = 0; i < workers.size(); i++) {
      busy += workers.get(i).watch().isRunning() ? 1 : 0;
    }
    return busy;
  }

  /**
   * Has a worker that rests do what waits, on this event loop. If none rests, they will come by.
   */
  public void runInline(Context eventLoop) {
    for (ModelWorkerVerticle worker : workers) {
      if (worker.tryRunInline(eventLoop)) {
        return;
      }
    }
    further.wakeOne();
  }

  /** Wakes one that rests. If none does, they will come by. */
  public void wakeOne() {
    for (ModelWorkerVerticle worker : workers) {
      if (worker.wake()) {
        return;
      }
    }
    further.wakeOne();
  }

  /** Returns how many runs go on although nothing waits for them. */
  synchronized int abandonedRuns() {
    return abandoned;
  }

  /**
   * Answers the callers of a run that does not end, and has another worker take its place.
   *
   * @param nanos how long it has run at least
   * @param why for its callers
   * @return whether another worker has taken its place
   */
  synchronized boolean abandonRun(ModelWorkerVerticle worker, long nanos, InferenceException why) {
    if (mostAbandoned == 0 && !closing) {
      return false;
    }
    if (abandoned >= mostAbandoned && !closing) {
      worker.watch().release(nanos, why);
      logLimit(why);
      return false;
    }
    if (!worker.abandonRun(nanos, why)) {
      return false;
    }
    abandoned++;
    LOG.atWarn()
        .addKeyValue("model", model)
        .addKeyValue("reason", why.getMessage())
        .addKeyValue("abandoned", abandoned)
        .log("a run that does not end is abandoned");
    if (!further.remove(worker) && !closing) {
      replace(worker);
    }
    return !closing;
  }

  @GuardedBy("this")
  private void logLimit(InferenceException why) {
    if (!limitIsLogged) {
      limitIsLogged = true;
      LOG.atWarn()
          .addKeyValue("model", model)
          .addKeyValue("reason", why.getMessage())
          .addKeyValue("abandoned", abandoned)
          .log("the model stays out of service: breaker.abandoned_runs go on already");
    }
  }

  @GuardedBy("this")
  private void replace(ModelWorkerVerticle hung) {
    hung.permit().release(true, false);
    RunMeter runs = freeMeter();
    var session = ReopenableSession.unopened(opener, hung.session());
    ModelWorkerVerticle next = worker(session, hung.permit(), runs);
    next.openFirst("a run of it does not end, and another session is being opened");
    List<ModelWorkerVerticle> all = new ArrayList<>(workers);
    all.set(all.indexOf(hung), next);
    workers = List.copyOf(all);
    start(next, poolName + "-again-" + ++replaced, SessionRecovery.FIRST_PAUSE);
  }

  @GuardedBy("this")
  private RunMeter freeMeter() {
    return freeMeters.isEmpty() ? meter.worker() : freeMeters.pop();
  }

  /** Starts one more worker of the first session. */
  private Future<?> startFurther() {
    return vertx
        .executeBlocking(this::share, false)
        .compose(this::startFurther)
        .recover(failure -> isClosing() ? Future.succeededFuture() : Future.failedFuture(failure));
  }

  private synchronized boolean isClosing() {
    return closing;
  }

  private ModelSession share() {
    return workers
        .getFirst()
        .session()
        .share()
        .orElseThrow(() ->
            InferenceException.unavailable("the session is not open", SessionRecovery.FIRST_PAUSE));
  }

  private synchronized Future<?> startFurther(ModelSession session) {
    if (closing) {
      session.close();
      return Future.succeededFuture();
    }
    var next =
        new ModelWorkerVerticle(
            work,
            session,
            InstancePermit.UNLIMITED,
            freeMeter(),
            further::mayTake,
            this::abandonedRunEnded);
    further.add(next);
    return deploy(next, poolName + "-further-" + ++furtherStarted, 1)
        .onSuccess(_ -> next.begin())
        .onFailure(_ -> forget(next));
  }

  private synchronized void forget(ModelWorkerVerticle next) {
    further.remove(next);
    deployments.remove(next);
    freeMeters.push(next.meter());
    next.session().close();
  }

  /** Has those end that were started for a run that held up others, and are needed no more. */
  synchronized void endIdle() {
    for (ModelWorkerVerticle worker : further.takeIdle()) {
      Future<String> deployment = deployment(worker);
      Future<?> end =
          deployment
              .compose(_ -> worker.stop())
              .compose(_ -> vertx.executeBlocking(() -> closed(worker), false))
              .compose(this::forgotten);
      Future<?> earlier = ended;
      ended = end.eventually(() -> earlier);
    }
  }

  private static ModelWorkerVerticle closed(ModelWorkerVerticle worker) {
    worker.session().close();
    return worker;
  }

  private synchronized Future<Void> forgotten(ModelWorkerVerticle worker) {
    freeMeters.push(worker.meter());
    Future<String> deployment = deployment(worker);
    deployments.remove(worker);
    return deployment.compose(vertx::undeploy);
  }

  /** The session's runs fail: further workers do not outlive it long. */
  public void reopenSessions() {
    workers.forEach(ModelWorkerVerticle::reopenSession);
    further.outdate();
  }

  /** Puts a worker to work, however often that fails, unless its model is closed meanwhile. */
  private synchronized void start(ModelWorkerVerticle next, String pool, Duration pause) {
    if (closing) {
      return;
    }
    deploy(next, pool, 1)
        .map(_ -> {
          next.begin();
          return next;
        })
        .onFailure(e -> startLater(next, pool, pause, e));
  }

  private void startLater(
      ModelWorkerVerticle next, String pool, Duration pause, Throwable failure) {
    OutOfMemory.endProcessIf(failure);
    next.openFirst("its worker cannot be started: " + failure.getMessage());
    LOG.atWarn()
        .addKeyValue("model", model)
        .addKeyValue("reason", failure.getMessage())
        .addKeyValue("next", pause.toMillis() + " ms")
        .log("a worker of the model cannot be started");
    vertx.setTimer(pause.toMillis(), _ -> start(next, pool, SessionRecovery.longer(pause)));
  }

  private void abandonedRunEnded(ModelWorkerVerticle worker) {
    Future<String> deployment;
    synchronized (this) {
      abandoned--;
      limitIsLogged = false;
      freeMeters.push(worker.meter());
      deployment = deployments.remove(worker);
    }
    LOG.atInfo()
        .addKeyValue("model", model)
        .log("a run that was abandoned has ended, and its session is closed");
    if (deployment != null) {
      deployment.compose(vertx::undeploy);
    }
  }

  /** Lets callers wait no longer for the runs under way. */
  public void giveUp(InferenceException why) {
    all().forEach(worker -> worker.watch().giveUp(why));
  }

  /** Lets the workers go when nothing waits any more, and closes the sessions. Blocks. */
  public void close() {
    List<ModelWorkerVerticle> last;
    synchronized (this) {
      closing = true;
      last = all();
    }
    monitor.remove(this);
    last.forEach(ModelWorkerVerticle::finish);
    last.forEach(worker -> worker.permit().stop());
    for (ModelWorkerVerticle worker : last) {
      stop(worker);
    }
    for (ModelWorkerVerticle worker : last) {
      if (!worker.watch().isAbandoned()) {
        undeploy(worker);
        worker.session().close();
      }
      worker.permit().close();
    }
    await(ended().otherwiseEmpty());
  }

  private synchronized Future<?> ended() {
    return ended;
  }

  /** Returns at once for one whose run is abandoned. */
  private void stop(ModelWorkerVerticle worker) {
    await(deployment(worker).compose(_ -> worker.stop()).otherwiseEmpty());
  }

  private void undeploy(ModelWorkerVerticle worker) {
    await(deployment(worker).compose(vertx::undeploy).otherwiseEmpty());
  }

  private synchronized Future<String> deployment(ModelWorkerVerticle worker) {
    return deployments.getOrDefault(worker, Future.failedFuture("it was undeployed"));
  }

  private static <T> T await(Future<T> future) {
    return future.toCompletionStage().toCompletableFuture().join();
  }
}
