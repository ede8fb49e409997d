package dev.sluice.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.inference.ErrorCode;
import dev.sluice.ops.History.Span;
import dev.sluice.telemetry.CallRecord;
import dev.sluice.telemetry.Telemetry;
import dev.sluice.telemetry.meter.Api;
import dev.sluice.telemetry.meter.EntryPoint;
import io.vertx.core.json.JsonArray;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class HistoryTest {
  private static final long MILLI = 1_000_000;

  private final AtomicLong clock = new AtomicLong();
  private final Telemetry telemetry = Telemetry.unseen();
  private double lagSeconds;
  private final CallMonitor monitor =
      new CallMonitor(
          telemetry, clock::get, () -> Instant.ofEpochMilli(clock.get() / MILLI), () -> lagSeconds);

  private void second() {
    clock.addAndGet(1000 * MILLI);
    monitor.look();
  }

  private CallRecord call(long millis) {
    telemetry.model("a");
    var record = new CallRecord(telemetry, EntryPoint.REST, clock::get, false);
    record.measure(Api.GRPS_PREDICT, "a");
    clock.addAndGet(millis * MILLI);
    return record;
  }

  private JsonArray points(Span span, String figure) {
    return Objects.requireNonNull(
        monitor.history().json(span, 0).getJsonObject("figures").getJsonArray(figure));
  }

  @Test
  void aSecondWithoutCallsHasARateAndNoLatency() {
    second();
    assertThat(points(Span.MINUTES, "requests_per_second")).containsExactly(0.0);
    assertThat(points(Span.MINUTES, "p99_ms")).hasSize(1).containsOnlyNulls();
    assertThat(points(Span.MINUTES, "failed_percent")).hasSize(1).containsOnlyNulls();
    assertThat(points(Span.MINUTES, "rows_per_run")).hasSize(1).containsOnlyNulls();
  }

  /** The mean of the seconds' quantiles would be half of it. */
  @Test
  void aLongerStepHasTheQuantilesOfAllItsCalls() {
    for (int i = 0; i < 99; i++) {
      call(0).succeeded();
    }
    second();
    call(400).succeeded();
    call(0).failed(ErrorCode.INTERNAL);
    for (int i = 1; i < 30; i++) {
      second();
    }
    assertThat(points(Span.MINUTES, "time_ms")).hasSize(30);
    JsonArray rate = points(Span.HOURS, "requests_per_second");
    assertThat(rate).hasSize(1);
    assertThat(rate.getDouble(0)).isCloseTo(101 / 30.4, within(0.001));
    assertThat(points(Span.HOURS, "p50_ms").getDouble(0)).isLessThan(1);
    assertThat(points(Span.HOURS, "p99_ms").getDouble(0)).isLessThan(400);
    assertThat(points(Span.HOURS, "failed_percent").getDouble(0))
        .isCloseTo(100 / 101.0, within(1e-9));
  }

  @Test
  void aLongerStepShowsTheMostOfALag() {
    lagSeconds = 0.5;
    second();
    lagSeconds = 0;
    for (int i = 1; i < 60; i++) {
      second();
    }
    assertThat(points(Span.HOURS, "lag_ms")).containsExactly(500.0, 0.0);
  }

  @Test
  void theOldestPointsMakeRoom() {
    for (int i = 0; i < 700; i++) {
      second();
    }
    JsonArray times = points(Span.MINUTES, "time_ms");
    assertThat(times).hasSize(600).doesNotHaveDuplicates();
    assertThat(times.getLong(0)).isEqualTo(101_000);
    assertThat(times.getLong(599)).isEqualTo(700_000);
  }

  @Test
  void aPageAsksForWhatIsNew() {
    for (int i = 0; i < 5; i++) {
      second();
    }
    var later = monitor.history().json(Span.MINUTES, 3_000).getJsonObject("figures");
    assertThat(later.getJsonArray("time_ms")).containsExactly(4_000L, 5_000L);
    assertThat(later.getJsonArray("queued")).hasSize(2);
  }
}
