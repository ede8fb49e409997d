package dev.sluice.config.binding;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UnitsTest {
  @ParameterizedTest
  @CsvSource({
    "500us, PT0.0005S",
    "2ms, PT0.002S",
    "30s, PT30S",
    "10m, PT10M",
    "1h, PT1H",
    "0, PT0S",
    "0s, PT0S"
  })
  void lengthsOfTimeHaveUnits(String text, Duration length) {
    assertThat(Units.duration(text)).contains(length);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "5",
        "s",
        "1 s",
        "-1s",
        "1.5s",
        "1S",
        "1d",
        "8761h",
        "999999999999999h",
        "9999999999999999s"
      })
  void otherTextsAreNoLengthsOfTime(String text) {
    assertThat(Units.duration(text)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"1000, 1000", "1000B, 1000", "512KiB, 524288", "64MiB, 67108864", "1GiB, 1073741824"})
  void sizesAreBytesOrHaveBinaryUnits(String text, long size) {
    assertThat(Units.size(text)).contains(size);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "MiB", "1MB", "1k", "1 KiB", "-1", "1.5GiB", "999999999999999GiB"})
  void otherTextsAreNoSizes(String text) {
    assertThat(Units.size(text)).isEmpty();
  }

  @Test
  void sizesAreShownInTheLargestUnitThatFits() {
    assertThat(Units.show(1)).isEqualTo("1");
    assertThat(Units.show(1536)).isEqualTo("1536");
    assertThat(Units.show(2048)).isEqualTo("2KiB");
    assertThat(Units.show(64L << 20)).isEqualTo("64MiB");
    assertThat(Units.show(3L << 30)).isEqualTo("3GiB");
  }
}
