package dev.sluice.ops;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.telemetry.exposition.MetricNames;
import dev.sluice.telemetry.exposition.MetricRegistries;
import dev.sluice.telemetry.exposition.MetricsFormat;
import dev.sluice.testing.HistogramValues;
import dev.sluice.testing.PrometheusPage;
import io.vertx.core.Context;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.time.Duration;
import java.util.EnumSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class EventLoopLagTest {
  private static final int LOOPS = 2;

  private final AtomicLong clock = new AtomicLong();
  private final EventLoopLag lag = new EventLoopLag(clock::get);
  private final MetricRegistries metrics = new MetricRegistries();
  private final CountDownLatch blocked = new CountDownLatch(1);
  private final Vertx vertx =
      Vertx.vertx(
          new VertxOptions().setEventLoopPoolSize(LOOPS).setBlockedThreadCheckInterval(60_000));

  @AfterEach
  void stop() {
    blocked.countDown();
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  private void start() {
    metrics.add(lag);
    vertx
        .deployVerticle(lag.verticles(), new DeploymentOptions().setInstances(LOOPS))
        .toCompletionStage()
        .toCompletableFuture()
        .join();
  }

  private void await(boolean problem) {
    while (lag.problem().isPresent() != problem) {
      Thread.onSpinWait();
    }
  }

  @Test
  void aLoopThatDoesNotTurnWhileOthersDoIsAProblemUntilItTurnsAgain() {
    start();
    assertThat(lag.problem()).isEmpty();
    Context one = vertx.getOrCreateContext();
    one.runOnContext(_ -> waitForTheEnd());
    clock.addAndGet(Duration.ofSeconds(25).toNanos());
    await(true);
    assertThat(lag.problem().orElseThrow()).matches("event loop \\d has not turned for 25 s");
    blocked.countDown();
    await(false);
  }

  @Test
  void aLoopThatIsLateCountsAlsoForTheTimersThatWereDueMeanwhile() {
    start();
    clock.addAndGet(Duration.ofMillis(350).toNanos());
    HistogramValues lags = lags();
    while (lags.above(0.03) < 3 * LOOPS) {
      lags = lags();
    }
    assertThat(lags.above(0.03)).isEqualTo(3 * LOOPS);
    assertThat(lags.above(0.1)).isEqualTo(2 * LOOPS);
    assertThat(lags.above(0.2)).isEqualTo(LOOPS);
    assertThat(lags.most()).isEqualTo(0.3);
  }

  private HistogramValues lags() {
    byte[] page = metrics.page(EnumSet.of(MetricNames.SLUICE), MetricsFormat.PROMETHEUS);
    return HistogramValues.of(
        new PrometheusPage(new String(page, UTF_8)), "sluice_event_loop_lag_seconds");
  }

  @Test
  void aProcessThatWasSuspendedAsAWholeHasNoProblem() {
    start();
    clock.addAndGet(Duration.ofHours(1).toNanos());
    assertThat(lag.problem()).isEmpty();
  }

  private void waitForTheEnd() {
    try {
      blocked.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
