package dev.sluice.scheduling.ratelimit;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.sluice.config.model.InstanceLimit;
import dev.sluice.config.model.InstanceLimit.Resource;
import dev.sluice.config.server.RateLimitConfig;
import dev.sluice.config.server.RateLimitConfig.Available;
import dev.sluice.inference.InferenceException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Triton's rate limiter: an instance of a model runs only while it holds the resources that it
 * names, which it shares with all instances of the server. Of those that wait, the one goes first
 * whose runs, times its priority, are fewest; the others wait for it, so that one that needs much
 * does not starve. Any thread.
 */
public final class RateLimiter {
  /** The device on which all instances run. */
  private static final int DEVICE = 0;

  private final boolean on;
  private final List<Available> available;
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private final List<Limited> instances = new ArrayList<>();

  @GuardedBy("lock")
  private final List<Limited> waiting = new ArrayList<>();

  @GuardedBy("lock")
  private final Map<String, Long> taken = new HashMap<>();

  @GuardedBy("lock")
  private long arrivals;

  public RateLimiter(RateLimitConfig config) {
    this.on = config.mode() == RateLimitConfig.Mode.EXECUTION_COUNT;
    this.available = config.resources();
  }

  /**
   * Returns the permits of a model's instances, each to be closed.
   *
   * @param limits in the order of the instances; those without one are not limited
   * @throws InferenceException INVALID_ARGUMENT if an instance needs more than there is, or names a
   *     resource in another way than a model that is loaded
   */
  public List<InstancePermit> permits(List<InstanceLimit> limits, int instanceCount) {
    List<InstancePermit> permits = new ArrayList<>();
    lock.lock();
    try {
      for (int i = 0; i < instanceCount; i++) {
        InstanceLimit limit = i < limits.size() ? limits.get(i) : InstanceLimit.NONE;
        permits.add(on && !limit.resources().isEmpty() ? permit(limit) : InstancePermit.UNLIMITED);
      }
    } catch (InferenceException e) {
      permits.forEach(InstancePermit::close);
      throw e;
    } finally {
      lock.unlock();
    }
    return permits;
  }

  @GuardedBy("lock")
  private Limited permit(InstanceLimit limit) {
    for (Resource resource : limit.resources()) {
      require(resource);
    }
    var limited = new Limited(limit);
    instances.add(limited);
    return limited;
  }

  @GuardedBy("lock")
  private void require(Resource resource) {
    boolean both =
        instances.stream()
            .flatMap(instance -> instance.limit.resources().stream())
            .anyMatch(other ->
                other.name().equals(resource.name()) && other.global() != resource.global());
    if (both) {
      throw InferenceException.invalid(
          "Resource \"%s\" is present as both global and device-specific resource in the model configuration."
              .formatted(resource.name()));
    }
    if (!available.isEmpty() && available(resource) < resource.count()) {
      throw InferenceException.invalid(
          ("Resource count for \"%s\" is limited to %d which will prevent scheduling of one or more"
                  + " model instances, the minimum required count is %d")
              .formatted(resource.name(), available(resource), resource.count()));
    }
  }

  /**
   * Returns the available amount by the settings; of a resource that they do not name, as much as
   * any instance needs.
   */
  @GuardedBy("lock")
  private long available(Resource resource) {
    if (available.isEmpty()) {
      return instances.stream()
          .flatMap(instance -> instance.limit.resources().stream())
          .filter(other -> other.name().equals(resource.name()))
          .mapToLong(Resource::count)
          .max()
          .orElse(0);
    }
    return available.stream()
        .filter(one -> one.name().equals(resource.name()))
        .filter(one -> resource.global() || one.device().orElse(DEVICE) == DEVICE)
        .mapToLong(Available::count)
        .max()
        .orElse(0);
  }

  /** Lets those run that are first, as far as there are resources. */
  @GuardedBy("lock")
  private void grant() {
    @Nullable Limited first = first();
    while (first != null && fits(first)) {
      waiting.remove(first);
      first.held = true;
      for (Resource resource : first.limit.resources()) {
        taken.merge(resource.name(), (long) resource.count(), Long::sum);
      }
      first.granted.signalAll();
      first = first();
    }
  }

  @GuardedBy("lock")
  private @Nullable Limited first() {
    return waiting.stream()
        .min(Comparator.comparingLong(Limited::weight).thenComparingLong(one -> one.arrival))
        .orElse(null);
  }

  @GuardedBy("lock")
  private boolean fits(Limited instance) {
    for (Resource resource : instance.limit.resources()) {
      if (taken.getOrDefault(resource.name(), 0L) + resource.count() > available(resource)) {
        return false;
      }
    }
    return true;
  }

  /** One instance that needs resources. */
  private final class Limited implements InstancePermit {
    private final InstanceLimit limit;
    private final Condition granted = lock.newCondition();

    // Guarded by the lock of the limiter, which also reads them of others.
    private long runs;
    private long arrival;
    private boolean held;
    private boolean stopped;

    Limited(InstanceLimit limit) {
      this.limit = limit;
    }

    private long weight() {
      return runs * limit.priority();
    }

    @Override
    public boolean tryAcquire() {
      lock.lock();
      try {
        join();
        waiting.remove(this);
        return held || stopped;
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void acquire() {
      lock.lock();
      try {
        join();
        while (!held && !stopped) {
          granted.awaitUninterruptibly();
        }
      } finally {
        lock.unlock();
      }
    }

    @GuardedBy("lock")
    private void join() {
      if (!held && !stopped && !waiting.contains(this)) {
        arrival = arrivals++;
        waiting.add(this);
        grant();
      }
    }

    @Override
    public void release(boolean ran, boolean again) {
      lock.lock();
      try {
        waiting.remove(this);
        if (held) {
          runs += ran ? 1 : 0;
          giveBack();
        }
        if (again) {
          join();
        }
        grant();
      } finally {
        lock.unlock();
      }
    }

    @GuardedBy("lock")
    private void giveBack() {
      held = false;
      for (Resource resource : limit.resources()) {
        taken.merge(resource.name(), (long) -resource.count(), Long::sum);
      }
    }

    @Override
    public void stop() {
      lock.lock();
      try {
        stopped = true;
        waiting.remove(this);
        granted.signalAll();
        grant();
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void close() {
      lock.lock();
      try {
        stop();
        if (held) {
          giveBack();
        }
        instances.remove(this);
        grant();
      } finally {
        lock.unlock();
      }
    }
  }
}
