package dev.sluice.scheduling.deadline;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class DeadlineWheelTest {
  private static final long MILLIS = 1_000_000;

  private final Vertx vertx = Vertx.vertx();
  private final Context eventLoop = vertx.getOrCreateContext();
  private final DeadlineWheels wheels =
      new DeadlineWheels(TestContexts.of(vertx), System::nanoTime);
  private final BlockingQueue<Wait> expired = new LinkedBlockingQueue<>();

  @AfterEach
  void stop() {
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  private final class Wait extends DeadlineEntry {
    private final long until;
    private volatile long expiredAt;
    private Runnable also = () -> {};

    Wait(long millis) {
      this(System.nanoTime(), millis);
    }

    Wait(long fromNanos, long millis) {
      this.until = fromNanos + millis * MILLIS;
    }

    @Override
    protected long expiresNanos() {
      return until;
    }

    @Override
    protected void expire() {
      expiredAt = System.nanoTime();
      also.run();
      expired.add(this);
    }
  }

  private void onLoop(Runnable action) {
    var done = new CompletableFuture<Void>();
    eventLoop.runOnContext(_ -> {
      action.run();
      done.complete(null);
    });
    done.join();
  }

  private Wait next() throws InterruptedException {
    return expired.poll(30, TimeUnit.SECONDS);
  }

  @Test
  void deadlinesExpireOnceAndNeverTooEarly() throws InterruptedException {
    var random = new Random(1);
    List<Wait> waits = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      waits.add(new Wait(random.nextInt(300) - 20));
    }
    onLoop(() -> waits.forEach(wait -> wheels.watch(eventLoop, wait)));
    for (int i = 0; i < waits.size(); i++) {
      Wait wait = next();
      assertThat(wait.expiredAt - wait.until).isGreaterThanOrEqualTo(0);
    }
    onLoop(() -> assertThat(expired).isEmpty());
  }

  @Test
  void deadlineBeyondATurnOfTheWheelIsMetInItsOwnTurn() throws InterruptedException {
    var late = new Wait(4_200);
    var early = new Wait(120);
    wheels.watch(eventLoop, late);
    wheels.watch(eventLoop, early);
    assertThat(next()).isSameAs(early);
    assertThat(next()).isSameAs(late);
    assertThat(late.expiredAt - late.until).isGreaterThanOrEqualTo(0);
  }

  @Test
  void whatHasEndedDoesNotExpire() throws InterruptedException {
    var ended = new Wait(20);
    var endedBefore = new Wait(20);
    var other = new Wait(60);
    onLoop(() -> {
      wheels.watch(eventLoop, ended);
      wheels.watch(eventLoop, other);
      wheels.end(eventLoop, ended);
      wheels.end(eventLoop, ended);
      wheels.end(eventLoop, endedBefore);
      wheels.watch(eventLoop, endedBefore);
    });
    assertThat(next()).isSameAs(other);
    assertThat(expired).isEmpty();
  }

  @Test
  void whatExpiresMayEndAndBeginOtherWaits() throws InterruptedException {
    var now = new AtomicLong();
    var turned = new DeadlineWheels(TestContexts.of(vertx), now::get);
    var first = new Wait(0, 10);
    var ended = new Wait(0, 20);
    var begun = new Wait(0, 30);
    first.also =
        () -> {
          turned.end(eventLoop, ended);
          turned.watch(eventLoop, begun);
          now.set(60 * MILLIS);
        };
    onLoop(() -> {
      turned.watch(eventLoop, first);
      turned.watch(eventLoop, ended);
      now.set(40 * MILLIS);
    });
    assertThat(next()).isSameAs(first);
    assertThat(next()).isSameAs(begun);
    onLoop(() -> assertThat(expired).isEmpty());
  }
}
