package dev.sluice.runtime.plugin;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads that run a version's plugin. A call that does not end when its time is over keeps its
 * thread, and another one takes its place, so that the code stuck in one call does not stop the
 * others; that goes on up to a bound. Any thread.
 *
 * <p>A thread that is stuck in a plugin is replaced, a bounded number of times.
 */
public final class PluginThreads implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PluginThreads.class);

  /** Calls that were given up and go on all the same. */
  static final int MOST_STUCK = 8;

  private static final Duration IDLE = Duration.ofSeconds(10);
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private final String model;
  private final ThreadPoolExecutor threads;
  private final ScheduledThreadPoolExecutor clock;
  private final int atOnce;

  /** Calls that wait for a thread or have one, and were not given up. */
  private final Set<PluginCall<?>> underWay = ConcurrentHashMap.newKeySet();

  /** Why no call may come any more; null while they may. */
  private volatile @Nullable InferenceException stopped;

  @GuardedBy("this")
  private int stuck;

  private PluginThreads(String model, int atOnce, BlockingQueue<Runnable> queue) {
    this.model = model;
    this.atOnce = atOnce;
    this.threads =
        new ThreadPoolExecutor(
            atOnce, atOnce, IDLE.toNanos(), TimeUnit.NANOSECONDS, queue, named("code-" + model));
    this.threads.allowCoreThreadTimeOut(true);
    this.clock = new ScheduledThreadPoolExecutor(1, named("code-clock-" + model));
    this.clock.setRemoveOnCancelPolicy(true);
    this.clock.setKeepAliveTime(IDLE.toNanos(), TimeUnit.NANOSECONDS);
    this.clock.allowCoreThreadTimeOut(true);
  }

  /**
   * Threads for calls that wait for each other.
   *
   * @param atOnce calls that run
   * @param waiting calls that may wait besides
   */
  public static PluginThreads queued(String model, int atOnce, int waiting) {
    return new PluginThreads(model, atOnce, new LinkedBlockingQueue<>(waiting));
  }

  /** Threads for calls that do not wait: one more than that many is refused. */
  public static PluginThreads direct(String model, int atOnce) {
    return new PluginThreads(model, atOnce, new SynchronousQueue<>());
  }

  private static ThreadFactory named(String name) {
    return Thread.ofPlatform().name(name + "-", 1).daemon(true).factory();
  }

  String model() {
    return model;
  }

  /** Calls that wait for a thread. */
  public int waiting() {
    return threads.getQueue().size();
  }

  /**
   * Lets a call run as soon as there is a thread.
   *
   * @throws InferenceException with RESOURCE_EXHAUSTED if there are too many, UNAVAILABLE if the
   *     code does not stop any more, or the version is being unloaded or was stopped
   */
  public void start(PluginCall<?> call) {
    requireSound();
    try {
      threads.execute(call);
    } catch (RejectedExecutionException e) {
      throw threads.isShutdown()
          ? new InferenceException(
              ErrorCode.UNAVAILABLE, "model '" + model + "' is being unloaded", e)
          : new InferenceException(
              ErrorCode.RESOURCE_EXHAUSTED,
              "model '%s' runs %d calls of own code already: Exceeds maximum queue size"
                  .formatted(model, atOnce),
              e);
    }
  }

  private void requireSound() {
    InferenceException refusal = refusal();
    if (refusal != null) {
      throw refusal;
    }
  }

  /**
   * Returns why no call may come, UNAVAILABLE as the code does not stop any more, or as they were
   * stopped; null if any may.
   */
  public @Nullable InferenceException refusal() {
    InferenceException why = stopped;
    return why == null ? refusalOfStuck() : why;
  }

  private synchronized @Nullable InferenceException refusalOfStuck() {
    return stuck < MOST_STUCK
        ? null
        : new InferenceException(
            ErrorCode.UNAVAILABLE,
            "the code of model '%s' does not stop: %d calls go on after they were given up"
                .formatted(model, stuck));
  }

  /**
   * Lets a thread look for calls to make, as soon as there is one. Where as many look already as
   * calls may wait, one of them finds what this one would.
   */
  public void look(Runnable forCalls) {
    try {
      threads.execute(forCalls);
    } catch (RejectedExecutionException _) {
      // Enough look already, or the version is being unloaded.
    }
  }

  /** Records a call that waits for a thread, or has one. Gives it up if calls were stopped. */
  void begun(PluginCall<?> call) {
    underWay.add(call);
    InferenceException why = stopped;
    if (why != null) {
      call.giveUp(why);
    }
  }

  /** Records that a call is over. */
  void ended(PluginCall<?> call) {
    underWay.remove(call);
  }

  /** Gives all calls up, and refuses those that come. Any thread; does not block. */
  public void stop(InferenceException why) {
    stopped = why;
    underWay.forEach(call -> call.giveUp(why));
  }

  /** Runs a short action after a time, unless it is cancelled. */
  public ScheduledFuture<?> later(Runnable action, long nanos) {
    return clock.schedule(action, nanos, TimeUnit.NANOSECONDS);
  }

  /** Records that a call was given up, and its thread is still in it. */
  synchronized void stuck() {
    stuck++;
    if (stuck == MOST_STUCK) {
      LOG.atError()
          .addKeyValue("model", model)
          .addKeyValue("calls", stuck)
          .log("plugin does not stop; the model takes no more requests until it does");
    } else {
      resize();
    }
  }

  /** Records that a call that was given up has ended after all. */
  synchronized void unstuck() {
    stuck--;
    resize();
  }

  @GuardedBy("this")
  private void resize() {
    int size = atOnce + stuck;
    if (size > threads.getMaximumPoolSize()) {
      threads.setMaximumPoolSize(size);
      threads.setCorePoolSize(size);
    } else {
      threads.setCorePoolSize(size);
      threads.setMaximumPoolSize(size);
    }
  }

  /** Interrupts what runs and waits for it, but not for ever. */
  @Override
  public void close() {
    threads.shutdownNow();
    clock.shutdownNow();
    try {
      if (!threads.awaitTermination(TIMEOUT.toNanos(), TimeUnit.NANOSECONDS)) {
        LOG.atWarn()
            .addKeyValue("model", model)
            .log("plugin does not stop; its classes stay in memory until it does");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
