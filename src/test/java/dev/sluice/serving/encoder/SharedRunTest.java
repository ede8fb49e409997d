package dev.sluice.serving.encoder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.Signature;
import dev.sluice.runtime.ModelSession;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.TensorSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/** Groups of texts that a worker and idle cores compute. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class SharedRunTest {
  private final Shared session = new Shared();
  private final HelperSessions helpers = new HelperSessions(session, 3);

  /** A session that others can be made of, and that runs nothing by itself. */
  private static final class Shared implements ModelSession {
    private final List<Shared> made = new ArrayList<>();
    private boolean interrupted;
    private boolean closed;

    @Override
    public Optional<ModelSession> share() {
      made.add(new Shared());
      return Optional.of(made.getLast());
    }

    @Override
    public void interrupt() {
      interrupted = true;
    }

    @Override
    public void resume() {
      interrupted = false;
    }

    @Override
    public ModelMetadata metadata() {
      throw new AssertionError("nobody asks");
    }

    @Override
    public List<NamedTensor> run(
        Signature signature, List<NamedTensor> inputs, List<TensorSpec> outputs) {
      throw new AssertionError("nobody asks");
    }

    @Override
    public void close() {
      closed = true;
    }
  }

  /** So long that others are asked for help. */
  private static void takeAWhile() {
    long begun = System.nanoTime();
    while (System.nanoTime() - begun < TimeUnit.MILLISECONDS.toNanos(1)) {
      Thread.onSpinWait();
    }
  }

  private static void meet(CyclicBarrier others) {
    try {
      others.await(30, TimeUnit.SECONDS);
    } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
      throw new AssertionError("no other group is computed at the same time", e);
    }
  }

  @Test
  void groupsAreComputedAtOnceEachOnASessionOfItsOwn() {
    var others = new CyclicBarrier(3);
    Set<ModelSession> used = ConcurrentHashMap.newKeySet();
    SharedRun.Group work =
        (by, group) -> {
          if (group == 3) {
            takeAWhile();
          } else {
            used.add(by);
            meet(others);
          }
        };
    new SharedRun(4, work, helpers, new IdleCores(3)).run(session);
    assertThat(used).containsExactlyInAnyOrder(session, session.made.get(0), session.made.get(1));
  }

  @Test
  void eachGroupIsComputedOnce() {
    var computed = new AtomicIntegerArray(1_000);
    SharedRun.Group work =
        (_, group) -> {
          if (group == computed.length() - 1) {
            takeAWhile();
          }
          computed.incrementAndGet(group);
        };
    new SharedRun(computed.length(), work, helpers, new IdleCores(4)).run(session);
    for (int group = 0; group < computed.length(); group++) {
      assertThat(computed.get(group)).as("group %d", group).isOne();
    }
    assertThat(session.made).hasSizeLessThanOrEqualTo(3);
  }

  @Test
  void aRunWithoutAnIdleCoreIsItsWorkersAlone() {
    var cores = new IdleCores(2);
    cores.enter();
    SharedRun.Group work =
        (by, _) -> {
          assertThat(by).isSameAs(session);
          takeAWhile();
        };
    new SharedRun(5, work, helpers, cores).run(session);
    cores.leave();
    assertThat(session.made).hasSizeLessThanOrEqualTo(1);
  }

  @Test
  void aRunWhoseSessionCannotBeSharedIsItsWorkersAlone() {
    var alone = new HelperSessions(session, 0);
    var computed = new AtomicInteger();
    SharedRun.Group work =
        (by, _) -> {
          assertThat(by).isSameAs(session);
          takeAWhile();
          computed.incrementAndGet();
        };
    new SharedRun(5, work, alone, new IdleCores(4)).run(session);
    assertThat(computed).hasValue(5);
    assertThat(session.made).isEmpty();
  }

  @Test
  void aFailureIsThrownWhenNoThreadComputesAnyMore() {
    var others = new CyclicBarrier(2);
    var computing = new AtomicInteger();
    SharedRun.Group work =
        (by, group) -> {
          computing.incrementAndGet();
          try {
            if (group < 2) {
              meet(others);
            }
            takeAWhile();
            if (by != session) {
              throw new IllegalStateException("the helper fails");
            }
          } finally {
            computing.decrementAndGet();
          }
        };
    var run = new SharedRun(3, work, new HelperSessions(session, 1), new IdleCores(2));
    assertThatThrownBy(() -> run.run(session)).hasMessage("the helper fails");
    assertThat(computing).hasValue(0);
  }

  @Test
  void whatInterruptsASessionInterruptsThoseThatHelpItAlsoLaterOnes() {
    helpers.take();
    helpers.interrupt();
    helpers.take();
    assertThat(session.made).hasSize(2).allMatch(made -> made.interrupted);
    helpers.resume();
    assertThat(session.made).noneMatch(made -> made.interrupted);
    helpers.close();
    assertThat(session.made).allMatch(made -> made.closed);
    assertThat(session.closed).isFalse();
  }
}
