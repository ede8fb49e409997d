package dev.sluice.loadtest.generator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.Test;

class RequestLogTest {
  private static final RequestLog LOG =
      RequestLog.parse(
          "1000000\t200\t100",
          "1250000\t429\t10",
          "1500000\t200\t300",
          "1750000\t-1\t5",
          "2000000\t200\t200\tmore");

  @Test
  void onlyGoodAnswersCount() {
    assertThat(LOG.good()).isEqualTo(new Measurement(3, 200, 300, 3));
  }

  @Test
  void answersAreCountedByStatus() {
    assertThat(LOG.count(200)).isEqualTo(3);
    assertThat(LOG.count(429)).isEqualTo(1);
    assertThat(LOG.count(-1)).isEqualTo(1);
    assertThat(LOG.offered()).isEqualTo(5);
  }

  @Test
  void middleLeavesOutHowItBeganAndEnded() {
    RequestLog middle = LOG.middle(0.6);
    assertThat(middle.starts()).containsExactly(1_250_000, 1_500_000, 1_750_000);
    assertThat(middle.statuses()).containsExactly(429, 200, -1);
    assertThat(middle.latencies()).containsExactly(10, 300, 5);
  }

  @Test
  void otherLinesAreRefused() {
    assertThatExceptionOfType(GeneratorException.class)
        .isThrownBy(() -> RequestLog.parse("1000000 200 100"))
        .withMessageContaining("1000000 200 100");
  }
}
