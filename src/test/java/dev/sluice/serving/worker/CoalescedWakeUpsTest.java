package dev.sluice.serving.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import java.lang.ref.WeakReference;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CoalescedWakeUpsTest {
  private final Vertx vertx = Vertx.vertx();
  private final AtomicInteger wakes = new AtomicInteger();
  private CoalescedWakeUps wakeUps = new CoalescedWakeUps(wakes::incrementAndGet);

  @AfterEach
  void close() {
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  /**
   * One turn that brings so many requests: how often it woke a worker before its end, and in all.
   */
  private int[] turn(Context eventLoop, int requests) {
    var early = new CompletableFuture<Integer>();
    var all = new CompletableFuture<Integer>();
    eventLoop.runOnContext(_ -> {
      int before = wakes.get();
      for (int i = 0; i < requests; i++) {
        wakeUps.request(eventLoop);
      }
      early.complete(wakes.get() - before);
      eventLoop.runOnContext(_ -> all.complete(wakes.get() - before));
    });
    return new int[] {early.join(), all.join()};
  }

  @Test
  void theRequestsOfOneTurnWakeAWorkerOnceAtItsEnd() {
    assertThat(turn(vertx.getOrCreateContext(), 5)).containsExactly(0, 1);
  }

  @Test
  void aTurnThatBringsMuchWakesAWorkerBeforeItsEnd() {
    assertThat(turn(vertx.getOrCreateContext(), 40)).containsExactly(1, 2);
  }

  @Test
  void anEventLoopThatMayWorkItselfIsCalledOnceAtTheEndOfItsTurnHoweverMuchItBrought() {
    Context eventLoop = vertx.getOrCreateContext();
    var called = new AtomicReference<Context>();
    wakeUps =
        new CoalescedWakeUps(
            () -> {
              throw new AssertionError("a worker was woken");
            },
            context -> {
              wakes.incrementAndGet();
              called.set(context);
            });
    assertThat(turn(eventLoop, 40)).containsExactly(0, 1);
    assertThat(called).hasValue(eventLoop);
  }

  @Test
  void everyTurnIsCountedForItself() {
    Context eventLoop = vertx.getOrCreateContext();
    for (int i = 0; i < 3; i++) {
      assertThat(turn(eventLoop, 10)).containsExactly(0, 1);
    }
  }

  @Test
  void aRequestFromAnotherThreadWakesAWorkerAtOnce() {
    Context eventLoop = vertx.getOrCreateContext();
    wakeUps.request(eventLoop);
    wakeUps.request(eventLoop);
    assertThat(wakes).hasValue(2);
  }

  @Test
  void eventLoopThatAskedAModelDoesNotKeepItOnceItIsUnloaded() throws InterruptedException {
    Context eventLoop = vertx.getOrCreateContext();
    turn(eventLoop, 5);
    var unloaded = new WeakReference<>(wakeUps);
    wakeUps = new CoalescedWakeUps(wakes::incrementAndGet);

    for (int i = 0; i < 100 && unloaded.get() != null; i++) {
      System.gc();
      turn(eventLoop, 1);
    }

    assertThat(unloaded.get()).isNull();
  }
}
