package dev.sluice.ops;

import dev.sluice.telemetry.exposition.MetricSource;
import dev.sluice.telemetry.exposition.MetricsPage;
import dev.sluice.telemetry.exposition.MetricsPage.Kind;
import dev.sluice.telemetry.meter.Buckets;
import dev.sluice.telemetry.meter.Histogram;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Measures the lag of event loops as metrics: each has a timer, ten times a second, and its lag is
 * how much later than scheduled the timer ran. A histogram has those of all loops since the start,
 * a gauge of each loop the most of ten seconds. Any thread.
 *
 * <p>A loop whose timer does not come at all is stuck, and so are the connections it has. It is
 * compared with the loop that turned last and not with the time, so that a process that was
 * suspended has no stuck loop when it goes on.
 */
public final class EventLoopLag implements MetricSource {
  private static final long PERIOD_MILLIS = 100;
  private static final long PERIOD_NANOS = PERIOD_MILLIS * 1_000_000;
  private static final int KEPT = 100;

  /** After this long a loop does not come back by itself: no garbage collection takes so long. */
  private static final Duration STUCK = Duration.ofSeconds(20);

  private static final double SECONDS = 1e9;

  private final LongSupplier nanoTime;
  private final Histogram lags = new Histogram(Buckets.LAG);
  private final List<Clock> clocks = new CopyOnWriteArrayList<>();

  public EventLoopLag(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /** Makes what is deployed once for each event loop. */
  public Supplier<VerticleBase> verticles() {
    return () -> {
      var clock = new Clock();
      clocks.add(clock);
      return clock;
    };
  }

  @Override
  public void write(MetricsPage page) {
    page.family("sluice_event_loop_lag_seconds", Kind.HISTOGRAM, "How late event loops were.")
        .add(lags, SECONDS);
    var most =
        page.family(
            "sluice_event_loop_lag_max_seconds", Kind.GAUGE, "Most of the last 10 seconds.");
    for (int i = 0; i < clocks.size(); i++) {
      most.add(clocks.get(i).most() / SECONDS, "loop", Integer.toString(i));
    }
  }

  /** Returns the largest of the loops' lags, as each was measured last, in seconds. */
  public double latestSeconds() {
    return clocks.stream().mapToDouble(Clock::latest).max().orElse(0) / SECONDS;
  }

  /** Says which event loop does not turn, while others do; for {@code Liveness}. */
  public Optional<String> problem() {
    OptionalLong newest = clocks.stream().mapToLong(Clock::last).max();
    for (int i = 0; i < clocks.size(); i++) {
      Duration silent = Duration.ofNanos(newest.orElseThrow() - clocks.get(i).last());
      if (silent.compareTo(STUCK) >= 0) {
        return Optional.of(
            "event loop %d has not turned for %d s".formatted(i, silent.toSeconds()));
      }
    }
    return Optional.empty();
  }

  /**
   * Counts a lag and those of the timers that would have been due meanwhile: who comes while a loop
   * is late waits for the rest of the time, and one long wait would count as little as a short one.
   */
  private void count(long lag) {
    for (long each = lag; each >= 0; each -= PERIOD_NANOS) {
      lags.add(each);
    }
  }

  /** One event loop's timer. */
  private final class Clock extends VerticleBase {
    private final RingBuffer recent = new RingBuffer(KEPT);
    private volatile double most;
    private volatile double latest;
    private volatile long last = nanoTime.getAsLong();

    @Override
    public Future<?> start() {
      last = nanoTime.getAsLong();
      vertx.setTimer(PERIOD_MILLIS, _ -> tick());
      return Future.succeededFuture();
    }

    private void tick() {
      long now = nanoTime.getAsLong();
      long lag = Math.max(0, now - last - PERIOD_NANOS);
      count(lag);
      latest = (double) lag;
      recent.add(latest);
      most = recent.most();
      last = now;
      vertx.setTimer(PERIOD_MILLIS, _ -> tick());
    }

    long last() {
      return last;
    }

    double latest() {
      return latest;
    }

    double most() {
      return most;
    }
  }
}
