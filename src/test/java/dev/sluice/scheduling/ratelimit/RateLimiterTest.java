package dev.sluice.scheduling.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.model.InstanceLimit;
import dev.sluice.config.model.InstanceLimit.Resource;
import dev.sluice.config.server.RateLimitConfig;
import dev.sluice.config.server.RateLimitConfig.Available;
import dev.sluice.config.server.RateLimitConfig.Mode;
import dev.sluice.inference.InferenceException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RateLimiterTest {
  private static RateLimiter limiter(Available... resources) {
    return new RateLimiter(new RateLimitConfig(Mode.EXECUTION_COUNT, List.of(resources)));
  }

  private static InstanceLimit needs(int priority, String name, int count) {
    return new InstanceLimit(List.of(new Resource(name, false, count)), priority);
  }

  private static InstancePermit one(RateLimiter limiter, InstanceLimit limit) {
    return limiter.permits(List.of(limit), 1).getFirst();
  }

  @Test
  void asMuchIsThereAsTheInstanceNeedsThatNeedsMost() {
    RateLimiter limiter = limiter();
    InstancePermit large = one(limiter, needs(1, "R", 4));
    InstancePermit small = one(limiter, needs(1, "R", 1));
    InstancePermit other = one(limiter, needs(1, "S", 1));
    assertThat(large.tryAcquire()).isTrue();
    assertThat(small.tryAcquire()).isFalse();
    assertThat(other.tryAcquire()).isTrue();
    large.release(true, false);
    assertThat(small.tryAcquire()).isTrue();
    assertThat(large.tryAcquire()).isFalse();
    small.release(true, false);
    assertThat(large.tryAcquire()).isTrue();
    large.close();
    assertThat(small.tryAcquire()).isTrue();
  }

  @Test
  void settingsSayHowMuchThereIs() {
    RateLimiter limiter =
        limiter(
            new Available("R", 2, Optional.empty()),
            new Available("G", 3, Optional.of(1)),
            new Available("D", 3, Optional.of(1)));
    InstancePermit first = one(limiter, needs(1, "R", 1));
    InstancePermit second = one(limiter, needs(1, "R", 1));
    assertThat(first.tryAcquire()).isTrue();
    assertThat(second.tryAcquire()).isTrue();
    assertThat(one(limiter, needs(1, "R", 1)).tryAcquire()).isFalse();
    assertThatThrownBy(() -> one(limiter, needs(1, "R", 10)))
        .isInstanceOf(InferenceException.class)
        .hasMessage(
            "Resource count for \"R\" is limited to 2 which will prevent scheduling of one or more"
                + " model instances, the minimum required count is 10");
    assertThatThrownBy(() -> one(limiter, needs(1, "unnamed", 1)))
        .hasMessageContaining("\"unnamed\" is limited to 0");
    assertThatThrownBy(() -> one(limiter, needs(1, "D", 1)))
        .hasMessageContaining("\"D\" is limited to 0");
    var global = new InstanceLimit(List.of(new Resource("G", true, 3)), 1);
    assertThat(one(limiter, global).tryAcquire()).isTrue();
  }

  @Test
  void aResourceIsGlobalForAllOrForNone() {
    RateLimiter limiter = limiter();
    InstancePermit local = one(limiter, needs(1, "R", 1));
    var global = new InstanceLimit(List.of(new Resource("R", true, 1)), 1);
    assertThatThrownBy(() -> one(limiter, global))
        .hasMessage(
            "Resource \"R\" is present as both global and device-specific resource in the model"
                + " configuration.");
    local.close();
    assertThat(one(limiter, global).tryAcquire()).isTrue();
  }

  @Test
  void nothingIsLimitedUnlessAskedForNorWhatNeedsNothing() {
    var off = new RateLimiter(RateLimitConfig.DEFAULT);
    assertThat(one(off, needs(1, "R", 1))).isSameAs(InstancePermit.UNLIMITED);
    assertThat(limiter().permits(List.of(InstanceLimit.NONE), 2))
        .containsOnly(InstancePermit.UNLIMITED);
  }

  @Test
  void anInstanceOfPriorityTwoRunsHalfAsOften() throws InterruptedException {
    RateLimiter limiter = limiter();
    InstancePermit often = one(limiter, needs(1, "R", 1));
    InstancePermit seldom = one(limiter, needs(2, "R", 1));
    InstancePermit first = one(limiter, needs(1, "R", 1));
    first.acquire();
    List<Integer> order = new ArrayList<>();
    var runs = new AtomicInteger();
    Thread one = runner(often, 1, order, runs);
    Thread two = runner(seldom, 2, order, runs);
    awaitWaiting(one);
    awaitWaiting(two);
    first.release(true, false);
    one.join();
    two.join();
    assertThat(order.subList(0, 30).stream().filter(which -> which == 1).count())
        .isBetween(18L, 22L);
  }

  /** Runs as soon as it may, again and again: it always runs or waits. */
  private static Thread runner(
      InstancePermit permit, int which, List<Integer> order, AtomicInteger runs) {
    return Thread.ofPlatform()
        .start(() -> {
          permit.acquire();
          while (runs.getAndIncrement() < 40) {
            order.add(which);
            permit.release(true, true);
            permit.acquire();
          }
          permit.release(false, false);
        });
  }

  private static void awaitWaiting(Thread thread) {
    while (thread.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
  }

  @Test
  void whoeverNeedsMuchIsNotPassedByThoseWhoNeedLittle() throws InterruptedException {
    RateLimiter limiter = limiter(new Available("R", 2, Optional.empty()));
    InstancePermit running = one(limiter, needs(1, "R", 1));
    InstancePermit large = one(limiter, needs(1, "R", 2));
    InstancePermit small = one(limiter, needs(1, "R", 1));
    running.acquire();
    Thread waiting = Thread.ofPlatform().start(large::acquire);
    awaitWaiting(waiting);
    assertThat(small.tryAcquire()).isFalse();
    running.release(true, false);
    waiting.join();
    assertThat(small.tryAcquire()).isFalse();
    large.release(true, false);
    assertThat(small.tryAcquire()).isTrue();
  }

  @Test
  void stoppingEndsAWaitAndLetsOthersGoFirst() throws InterruptedException {
    RateLimiter limiter = limiter(new Available("R", 2, Optional.empty()));
    InstancePermit running = one(limiter, needs(1, "R", 1));
    InstancePermit large = one(limiter, needs(1, "R", 2));
    InstancePermit small = one(limiter, needs(1, "R", 1));
    running.acquire();
    Thread first = Thread.ofPlatform().start(large::acquire);
    awaitWaiting(first);
    Thread second = Thread.ofPlatform().start(small::acquire);
    awaitWaiting(second);
    large.stop();
    first.join();
    second.join();
    large.close();
    assertThat(large.tryAcquire()).isTrue();
  }
}
