package dev.sluice.telemetry;

import static dev.sluice.telemetry.meter.Buckets.LATENCY;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.inference.RequestTrace;
import dev.sluice.telemetry.MetricsPage.Kind;
import dev.sluice.telemetry.meter.Buckets;
import dev.sluice.telemetry.meter.Distribution;
import dev.sluice.telemetry.meter.Distribution.Exemplar;
import dev.sluice.telemetry.meter.Histogram;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class MetricsPageTest {
  private final MetricsPage page = new MetricsPage(MetricsFormat.PROMETHEUS);

  @Test
  void labelsAreEscaped() {
    page.family("m", Kind.GAUGE, "Help.").add(1.5, "a", "\\ \" \n", "b", "");

    assertThat(page.text())
        .isEqualTo("# HELP m Help.\n# TYPE m gauge\nm{a=\"\\\\ \\\" \\n\",b=\"\"} 1.5\n");
  }

  @Test
  void openMetricsNamesCountersWithTotalAndEnds() {
    var open = new MetricsPage(MetricsFormat.OPEN_METRICS);
    open.single("calls_total", Kind.COUNTER, "Help.", 1);
    open.single("nv_calls", Kind.COUNTER, "Help.", 2);
    open.single("queue", Kind.GAUGE, "Help.", 3);

    assertThat(open.text())
        .isEqualTo(
            """
            # HELP calls Help.
            # TYPE calls counter
            calls_total{} 1
            # HELP nv_calls Help.
            # TYPE nv_calls unknown
            nv_calls{} 2
            # HELP queue Help.
            # TYPE queue gauge
            queue{} 3
            # EOF
            """);
  }

  @Test
  void wholeNumbersAreWrittenWhole() {
    page.single("m", Kind.COUNTER, "Help.", 12_345_678_901.0);

    assertThat(page.text()).endsWith("m{} 12345678901\n");
  }

  @Test
  void bucketsAddUpAndTheirBoundsAreInTheUnitOfTheName() {
    var values = new Histogram(Buckets.LATENCY);
    values.add(10_000);
    values.add(10_001);
    values.add(Long.MAX_VALUE / 2);
    page.family("m", Kind.HISTOGRAM, "Help.").add(values, 1e3, "a", "b");

    assertThat(page.text())
        .contains(
            "m_bucket{a=\"b\",le=\"10\"} 1\n",
            "m_bucket{a=\"b\",le=\"18\"} 2\n",
            "m_bucket{a=\"b\",le=\"32.4\"} 2\n",
            "m_bucket{a=\"b\",le=\"+Inf\"} 3\n",
            "m_count{a=\"b\"} 3\n");
    assertThat(page.text().lines().filter(line -> line.contains("_bucket"))).hasSize(34);
  }

  @Test
  void openMetricsNamesTheLastSampledRequestOfABucket() {
    var open = new MetricsPage(MetricsFormat.OPEN_METRICS);
    open.family("m", Kind.HISTOGRAM, "Help.").add(List.of(sampled(5), sampled(7)), LATENCY, 1e6);
    open.tensorflowFamily("t", Kind.HISTOGRAM, "Help.").add(List.of(sampled(5)), LATENCY, 1e6);
    page.family("m", Kind.HISTOGRAM, "Help.").add(List.of(sampled(5)), LATENCY, 1e6);

    assertThat(open.text().lines().filter(line -> line.contains("#")).skip(2))
        .containsExactly(
            "m_bucket{le=\"0.01\"} 2 # {trace_id=\"0a\",span_id=\"7\"} 0.005 0.007",
            "# HELP t Help.",
            "# TYPE t histogram",
            "# EOF");
    assertThat(page.text()).contains("m_bucket{le=\"0.01\"} 1\n").doesNotContain(" # ");
  }

  /** One value of 5 µs in the first bucket, counted so many milliseconds after the epoch. */
  private static Distribution sampled(long epochMillis) {
    var span = new RequestTrace.SpanId("0a", Long.toString(epochMillis));
    return new Distribution() {
      @Override
      public Buckets buckets() {
        return LATENCY;
      }

      @Override
      public long count(int bucket) {
        return bucket == 0 ? 1 : 0;
      }

      @Override
      public long sum() {
        return 5_000;
      }

      @Override
      public @Nullable Exemplar exemplar(int bucket) {
        return bucket == 0 ? new Exemplar(span, 5_000, epochMillis) : null;
      }
    };
  }

  @Test
  void boundsOfTensorflowHaveSixDigits() {
    page.tensorflowFamily("m", Kind.HISTOGRAM, "Help.").add(new Histogram(Buckets.LATENCY), 1e3);

    assertThat(page.text())
        .contains("le=\"32.4\"", "le=\"188.957\"", "le=\"1102\"", "le=\"708235\"")
        .contains("le=\"1.27482e+06\"", "le=\"1.47476e+09\"");
  }

  @Test
  void namesOfTensorflowAreWrittenWithColons() {
    assertThat(MetricsPage.name("/tensorflow/serving/request_count"))
        .isEqualTo(":tensorflow:serving:request_count");
  }
}
