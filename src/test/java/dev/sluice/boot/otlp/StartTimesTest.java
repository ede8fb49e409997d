package dev.sluice.boot.otlp;

import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import org.junit.jupiter.api.Test;

class StartTimesTest {
  private final StartTimes starts = new StartTimes(1);

  private long start(double value, String model) {
    var point = new CounterDataPointSnapshot(value, Labels.of("model", model), null, 0);
    return starts.of("calls", point, value);
  }

  @Test
  void whatIsThereAtFirstCountsSinceTheProcessStarted() {
    assertThat(start(5, "a")).isEqualTo(1);
  }

  @Test
  void whatGrowsKeepsItsStart() {
    start(5, "a");
    starts.end(10);
    assertThat(start(5, "a")).isEqualTo(1);
    starts.end(20);
    assertThat(start(6, "a")).isEqualTo(1);
  }

  @Test
  void whatIsNewBeganAfterTheReadingBefore() {
    start(5, "a");
    starts.end(10);
    assertThat(start(3, "b")).isEqualTo(10);
    starts.end(20);
    assertThat(start(3, "b")).isEqualTo(10);
  }

  @Test
  void whatShrinksBeganAnew() {
    start(5, "a");
    starts.end(10);
    assertThat(start(4, "a")).isEqualTo(10);
    starts.end(20);
    assertThat(start(9, "a")).isEqualTo(10);
  }

  @Test
  void whatWasAwayForAReadingBeganAnew() {
    start(5, "a");
    starts.end(10);
    starts.end(20);
    assertThat(start(9, "a")).isEqualTo(20);
  }

  @Test
  void whatSaysWhenItWasMadeCountsSinceThen() {
    var point = new CounterDataPointSnapshot(5, Labels.EMPTY, null, 7);
    assertThat(starts.of("calls", point, 5)).isEqualTo(7_000_000);
  }
}
