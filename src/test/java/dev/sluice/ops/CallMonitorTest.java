package dev.sluice.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.inference.ErrorCode;
import dev.sluice.telemetry.CallRecord;
import dev.sluice.telemetry.Telemetry;
import dev.sluice.telemetry.meter.Api;
import dev.sluice.telemetry.meter.EntryPoint;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class CallMonitorTest {
  private static final long MILLI = 1_000_000;

  private final AtomicLong clock = new AtomicLong();
  private final Telemetry telemetry = Telemetry.unseen();
  private double lagSeconds;
  private final CallMonitor monitor =
      new CallMonitor(
          telemetry, clock::get, () -> Instant.ofEpochMilli(clock.get() / MILLI), () -> lagSeconds);

  private CallRecord call(String model, long millis) {
    telemetry.model(model);
    var record = new CallRecord(telemetry, EntryPoint.REST, clock::get, false);
    record.measure(Api.GRPS_PREDICT, model);
    clock.addAndGet(millis * MILLI);
    return record;
  }

  private void lookAfter(long millis) {
    clock.addAndGet(millis * MILLI);
    monitor.look();
  }

  private double newest(String name) {
    double[] seconds = Objects.requireNonNull(monitor.lastMinute().get(name));
    return seconds[seconds.length - 1];
  }

  @Test
  void aSecondIsWhatEndedInIt() {
    call("a", 100).succeeded();
    call("a", 300).succeeded();
    call("b", 100).succeeded();
    call("b", 0).failed(ErrorCode.INTERNAL);
    lookAfter(500);
    assertThat(newest(CallMonitor.RATE)).isEqualTo(4);
    assertThat(newest(CallMonitor.FAILURES)).isEqualTo(25);
    assertThat(newest(CallMonitor.MEAN_TIME)).isCloseTo(500 / 3.0, within(0.001));
    assertThat(newest(CallMonitor.LONGEST_TIME)).isBetween(300.0, 300 * 1.8);
    lookAfter(1000);
    assertThat(newest(CallMonitor.RATE)).isZero();
    assertThat(newest(CallMonitor.FAILURES)).isZero();
    assertThat(newest(CallMonitor.MEAN_TIME)).isZero();
    assertThat(newest(CallMonitor.LONGEST_TIME)).isZero();
  }

  @Test
  void aLateLookDoesNotRaiseTheRate() {
    call("a", 0).succeeded();
    lookAfter(2000);
    assertThat(newest(CallMonitor.RATE)).isEqualTo(0.5);
  }

  @Test
  void aModelIsWatchedForTenSeconds() {
    call("a", 0).succeeded();
    monitor.look();
    assertThat(monitor.lately("a").calls().calls()).isZero();
    call("a", 0).failed(ErrorCode.INTERNAL);
    for (int i = 0; i < 10; i++) {
      lookAfter(1000);
    }
    CallMonitor.Lately lately = monitor.lately("a");
    assertThat(lately.calls().calls()).isEqualTo(1);
    assertThat(lately.calls().failedShare()).isEqualTo(1);
    assertThat(lately.seconds()).isEqualTo(10);
    lookAfter(1000);
    assertThat(monitor.lately("a").calls().calls()).isZero();
    assertThat(monitor.lately("never seen").calls().calls()).isZero();
  }

  @Test
  void theSpreadOfTimesGrowsAndHasGrpsPlaces() {
    for (int i = 1; i <= 100; i++) {
      call("a", i).succeeded();
    }
    lookAfter(0);
    ChartSeries spread = monitor.series(CallMonitor.TIMES).orElseThrow();
    assertThat(spread.label()).isEqualTo("cdf");
    assertThat(spread.places()).hasSize(20).startsWith(10, 20).endsWith(99, 100, 101);
    assertThat(spread.values()).isSorted();
    assertThat(spread.values()[4]).isBetween(50 / 1.8, 50 * 1.8);
    assertThat(spread.values()[19]).isBetween(99.0, 100 * 1.8);
    lookAfter(1000);
    assertThat(monitor.series(CallMonitor.TIMES).orElseThrow().values()).containsOnly(0);
  }

  @Test
  void theProcessIsWatchedToo() {
    do {
      lookAfter(1000);
    } while (newest(CallMonitor.PROCESSOR) == 0);
    assertThat(newest(CallMonitor.PROCESSOR)).isPositive();
    assertThat(newest(CallMonitor.MEMORY)).isBetween(0.0, 100.0).isPositive();
  }

  @Test
  void onlyKnownNamesHaveSeries() {
    assertThat(monitor.series("*gpu0_usage(%)")).isEmpty();
    assertThat(monitor.series(CallMonitor.RATE).orElseThrow().values()).hasSize(174);
  }

  @Test
  void seriesAreWrittenWithTwoDecimals() {
    assertThat(
            new ChartSeries("cdf", new int[] {10, 101}, new double[] {0, 1.234}).json().toString())
        .isEqualTo("{\"label\":\"cdf\",\"data\":[[10,0.00],[101,1.23]]}");
  }
}
