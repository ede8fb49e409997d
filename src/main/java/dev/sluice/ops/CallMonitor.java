package dev.sluice.ops;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.sun.management.OperatingSystemMXBean;
import dev.sluice.inference.ModelId;
import dev.sluice.telemetry.CallTotals;
import dev.sluice.telemetry.RequestTotals;
import dev.sluice.telemetry.RunTotals;
import dev.sluice.telemetry.Telemetry;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import java.lang.management.ManagementFactory;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

/**
 * Looks at the meters once a second, for people who watch: how calls went in the seconds, minutes,
 * hours and days before, by the names of grps' monitor but of all protocols, and how each model did
 * lately.
 *
 * <p>Threads: looks on a worker; any thread may ask.
 */
public final class CallMonitor extends VerticleBase {
  static final String RATE = "*qps";
  static final String FAILURES = "*fail_rate(%)";
  static final String MEAN_TIME = "*latency_avg(ms)";
  static final String LONGEST_TIME = "*latency_max(ms)";
  static final String TIMES = "*latency_cdf(ms)";
  static final String PROCESSOR = "*cpu_usage(%)";
  static final String MEMORY = "*mem_usage(%)";

  /** The quantiles in grps' words, parts of 100: the last two stand for 99.9 and 99.99. */
  private static final int[] PARTS = {
    10, 20, 30, 40, 50, 60, 70, 80, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101
  };

  private static final long PERIOD_MILLIS = 1_000;
  private static final double NANOS_OF_SECOND = 1e9;
  private static final double NANOS_OF_MILLI = 1e6;
  private static final double PERCENT = 100;

  /**
   * The calls of a model in the last seconds.
   *
   * @param calls that ended
   * @param seconds how many seconds, 10 at most
   */
  record Lately(CallTotals calls, double seconds) {
    static final Lately NOTHING = new Lately(CallTotals.NONE, 1);
  }

  /**
   * The requests to a version in the last seconds.
   *
   * @param failedShare from 0 to 1
   */
  record Rate(double perSecond, double failedShare) {
    static final Rate NOTHING = new Rate(0, 0);
  }

  /** A point in time and all calls until then. */
  private record Look(long nanos, CallTotals calls) {}

  private final Telemetry telemetry;
  private final LongSupplier nanoTime;
  private final InstantSource clock;
  private final DoubleSupplier lagSeconds;
  private final History history;
  private final ModelHistories modelHistories;
  private final RecentTotals<String, CallTotals> models = new RecentTotals<>((_, _) -> true);
  private final RecentTotals<ModelId, RequestTotals> versions =
      new RecentTotals<>(RequestTotals::isContinuedBy);
  private final OperatingSystemMXBean system =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

  @GuardedBy("this")
  private final Map<String, TimeSeries> trends = new TreeMap<>();

  @GuardedBy("this")
  private Look last;

  @GuardedBy("this")
  private long lastProcessorNanos;

  @GuardedBy("this")
  private CallTotals lastSecond = CallTotals.NONE;

  /**
   * Begins to count now.
   *
   * @param clock says when that was
   * @param lagSeconds the largest lag of an event loop, newly measured
   */
  public CallMonitor(
      Telemetry telemetry, LongSupplier nanoTime, InstantSource clock, DoubleSupplier lagSeconds) {
    this.telemetry = telemetry;
    this.nanoTime = nanoTime;
    this.clock = clock;
    this.lagSeconds = lagSeconds;
    for (String name : new String[] {RATE, FAILURES, MEAN_TIME, PROCESSOR, MEMORY}) {
      trends.put(name, TimeSeries.ofMeans());
    }
    trends.put(LONGEST_TIME, TimeSeries.ofPeaks());
    Map<String, CallTotals> calls = telemetry.callTotals();
    Map<String, RunTotals> runs = telemetry.runTotals();
    last = new Look(nanoTime.getAsLong(), sum(calls));
    lastProcessorNanos = system.getProcessCpuTime();
    double resident = ResidentMemory.bytes().orElse(0.0);
    history = History.ofServer(reading(last, runs, lastProcessorNanos, resident));
    modelHistories = new ModelHistories(clock.millis(), last.nanos, calls, runs);
  }

  private Reading reading(
      Look look, Map<String, RunTotals> runs, long processorNanos, double residentBytes) {
    return new Reading(
        clock.millis(),
        look.nanos,
        look.calls,
        runs.values().stream().reduce(RunTotals.NONE, RunTotals::plus),
        processorNanos,
        residentBytes,
        ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed(),
        lagSeconds.getAsDouble());
  }

  @Override
  public Future<?> start() {
    vertx.setPeriodic(PERIOD_MILLIS, _ -> look());
    return Future.succeededFuture();
  }

  /** Records that one more second is over. */
  void look() {
    Map<String, CallTotals> totals = telemetry.callTotals();
    Map<String, RunTotals> runs = telemetry.runTotals();
    long now = nanoTime.getAsLong();
    long processorNanos = system.getProcessCpuTime();
    double resident = ResidentMemory.bytes().orElse(0.0);
    history.add(reading(new Look(now, sum(totals)), runs, processorNanos, resident));
    modelHistories.add(clock.millis(), now, totals, runs);
    models.add(now, totals);
    versions.add(now, telemetry.requestTotals());
    double memory = resident / system.getTotalMemorySize();
    synchronized (this) {
      CallTotals sum = sum(totals);
      lastSecond = sum.since(last.calls);
      double nanos = Math.max(1, now - last.nanos);
      add(RATE, lastSecond.calls() * NANOS_OF_SECOND / nanos);
      add(FAILURES, PERCENT * lastSecond.failedShare());
      add(MEAN_TIME, lastSecond.meanNanos() / NANOS_OF_MILLI);
      add(LONGEST_TIME, lastSecond.quantileNanos(1) / NANOS_OF_MILLI);
      add(PROCESSOR, PERCENT * (processorNanos - lastProcessorNanos) / nanos);
      add(MEMORY, PERCENT * memory);
      last = new Look(now, sum);
      lastProcessorNanos = processorNanos;
    }
  }

  @GuardedBy("this")
  private void add(String name, double value) {
    trends.computeIfPresent(
        name,
        (_, trend) -> {
          trend.add(value);
          return trend;
        });
  }

  private static CallTotals sum(Map<String, CallTotals> totals) {
    return totals.values().stream().reduce(CallTotals.NONE, CallTotals::plus);
  }

  /** Returns how a model did in the last ten seconds, or since it is watched. */
  Lately lately(String model) {
    var recent = models.of(model);
    return recent == null
        ? Lately.NOTHING
        : new Lately(recent.newest().since(recent.first()), recent.seconds());
  }

  /** Returns how a version did in the last ten seconds, or since it is watched. */
  Rate lately(ModelId version) {
    var recent = versions.of(version);
    if (recent == null) {
      return Rate.NOTHING;
    }
    RequestTotals requests = recent.newest().since(recent.first());
    return new Rate(requests.ended() / recent.seconds(), requests.failedShare());
  }

  /** Returns the last minute's seconds of everything that has a trend, by name. */
  synchronized Map<String, double[]> lastMinute() {
    Map<String, double[]> seconds = new LinkedHashMap<>();
    trends.forEach((name, trend) -> seconds.put(name, trend.lastMinute()));
    return seconds;
  }

  /** Returns the figures of the server in the past. */
  History history() {
    return history;
  }

  /** Returns the figures of a model in the past. */
  History history(String model) {
    return modelHistories.of(model);
  }

  /** Returns the course of a value, as grps' monitor has it; empty if there is no such value. */
  synchronized Optional<ChartSeries> series(String name) {
    if (name.equals(TIMES)) {
      return Optional.of(spread());
    }
    return Optional.ofNullable(trends.get(name)).map(trend -> ChartSeries.trend(trend.points()));
  }

  /**
   * Returns the distribution of the last second's latencies: shares of the calls by milliseconds.
   */
  synchronized ChartSeries spread() {
    double[] millis = new double[PARTS.length];
    for (int i = 0; i < PARTS.length; i++) {
      double share =
          switch (PARTS[i]) {
            case 100 -> 0.999;
            case 101 -> 0.9999;
            default -> PARTS[i] / PERCENT;
          };
      millis[i] = lastSecond.quantileNanos(share) / NANOS_OF_MILLI;
    }
    return new ChartSeries("cdf", PARTS, millis);
  }
}
