package dev.sluice.testing;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class HistogramValuesTest {
  private static HistogramValues page(int one, int two, int all) {
    String text =
        """
        # TYPE lag_seconds histogram
        lag_seconds_bucket{le="1.0"} %d
        lag_seconds_bucket{le="2.0"} %d
        lag_seconds_bucket{le="+Inf"} %d
        lag_seconds_count %d
        lag_seconds_sum 1.5
        """
            .formatted(one, two, all, all);
    return HistogramValues.of(new PrometheusPage(text), "lag_seconds");
  }

  @Test
  void quantilesLieEvenlyInTheirBucketsAndNoneAboveTheLastBound() {
    HistogramValues values = page(6, 10, 10);
    assertThat(values.quantile(0.3)).isEqualTo(0.5);
    assertThat(values.quantile(0.8)).isEqualTo(1.5);
    assertThat(page(6, 8, 10).quantile(0.9)).isEqualTo(2);
  }

  @Test
  void valuesSinceAnEarlierLookAreThoseThatItDoesNotHave() {
    HistogramValues since = page(6, 10, 10).since(page(6, 7, 7));
    assertThat(since.count()).isEqualTo(3);
    assertThat(since.above(1)).isEqualTo(3);
    assertThat(since.quantile(1)).isEqualTo(2);
    assertThat(since.most()).isEqualTo(2);
  }
}
