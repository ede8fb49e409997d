package dev.sluice.telemetry.exposition;

import static dev.sluice.telemetry.meter.Buckets.LATENCY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.sluice.inference.RequestTrace;
import dev.sluice.telemetry.exposition.MetricsPage.Kind;
import dev.sluice.telemetry.meter.Buckets;
import dev.sluice.telemetry.meter.Distribution;
import dev.sluice.telemetry.meter.Distribution.Exemplar;
import dev.sluice.telemetry.meter.Histogram;
import dev.sluice.telemetry.meter.LatencySummary;
import io.micrometer.core.instrument.Counter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The page in each form, by names of Sluice's own and by those of other servers. */
class MetricRegistriesTest {
  private final MetricRegistries registries = new MetricRegistries();

  private void add(MetricNames names, Consumer<MetricsPage> written) {
    registries.add(
        new MetricSource() {
          @Override
          public void write(MetricsPage page) {
            written.accept(page);
          }

          @Override
          public MetricNames names() {
            return names;
          }
        });
  }

  private String page(MetricsFormat format) {
    byte[] page = registries.page(EnumSet.allOf(MetricNames.class), format);
    return new String(page, StandardCharsets.UTF_8);
  }

  private String text() {
    return page(MetricsFormat.PROMETHEUS);
  }

  @Test
  void countersAreTypedAndTheirNamesAreThoseOfTheirServers() {
    add(MetricNames.SLUICE, page -> page.single("calls_total", Kind.COUNTER, "Help.", 1));
    add(MetricNames.TRITON, page -> page.single("nv_calls", Kind.COUNTER, "Help.", 2));
    add(MetricNames.TENSORFLOW, page -> page.single(":tf:c_total", Kind.COUNTER, "Help.", 3));

    assertThat(text())
        .isEqualTo(
            """
            # HELP calls_total Help.
            # TYPE calls_total counter
            calls_total 1.0
            # HELP :tf:c_total Help.
            # TYPE :tf:c_total counter
            :tf:c_total{} 3
            # HELP nv_calls Help.
            # TYPE nv_calls counter
            nv_calls{} 2
            """);
    assertThat(page(MetricsFormat.OPEN_METRICS))
        .isEqualTo(
            """
            # TYPE :tf:c counter
            # HELP :tf:c Help.
            :tf:c_total 3.0
            # TYPE calls counter
            # HELP calls Help.
            calls_total 1.0
            # TYPE nv_calls unknown
            # HELP nv_calls Help.
            nv_calls 2.0
            # EOF
            """);
  }

  @Test
  void namesThatAreNotAskedForAreNotOnThePage() {
    add(MetricNames.SLUICE, page -> page.single("mine", Kind.GAUGE, "Help.", 1));
    add(MetricNames.KSERVE, page -> page.single("its", Kind.GAUGE, "Help.", 1));
    add(MetricNames.TRITON, page -> page.single("nv", Kind.GAUGE, "Help.", 1));

    byte[] page =
        registries.page(
            EnumSet.of(MetricNames.KSERVE, MetricNames.SLUICE), MetricsFormat.PROMETHEUS);
    assertThat(new String(page, StandardCharsets.UTF_8))
        .contains("mine 1.0\n", "its 1.0\n")
        .doesNotContain("nv");
  }

  @Test
  void labelsAreEscapedAndTheModelComesFirst() {
    for (MetricNames names : List.of(MetricNames.SLUICE, MetricNames.TRITON)) {
      add(
          names,
          page ->
              page.family("m_" + names, Kind.GAUGE, "Help.")
                  .add(1.5, "model_name", "\\ \" \n", "API", ""));
    }

    assertThat(text())
        .contains("m_SLUICE{API=\"\",model_name=\"\\\\ \\\" \\n\"} 1.5\n")
        .contains("m_TRITON{model_name=\"\\\\ \\\" \\n\",API=\"\"} 1.5\n");
  }

  @Test
  void ofTwoSeriesWithTheSameLabelsOneIsOnThePage() {
    add(
        MetricNames.SLUICE,
        page -> page.family("m", Kind.GAUGE, "Help.").add(1, "a", "b").add(2, "a", "b"));

    assertThat(text()).contains("m{a=\"b\"} 2.0\n").doesNotContain("1.0");
  }

  @Test
  void wholeNumbersOfOtherServersAreWrittenWhole() {
    add(MetricNames.TRITON, page -> page.single("m", Kind.COUNTER, "Help.", 12_345_678_901.0));

    assertThat(text()).endsWith("m{} 12345678901\n");
  }

  @Test
  void bucketsAddUpAndTheirBoundsAreInTheUnitOfTheName() {
    var values = new Histogram(LATENCY);
    values.add(10_000);
    values.add(10_001);
    values.add(Long.MAX_VALUE / 2);
    add(
        MetricNames.SLUICE,
        page -> page.family("m", Kind.HISTOGRAM, "Help.").add(values, 1e3, "a", "b"));

    assertThat(text())
        .contains(
            "m_bucket{a=\"b\",le=\"10.0\"} 1\n",
            "m_bucket{a=\"b\",le=\"18.0\"} 2\n",
            "m_bucket{a=\"b\",le=\"32.4\"} 2\n",
            "m_bucket{a=\"b\",le=\"+Inf\"} 3\n",
            "m_count{a=\"b\"} 3\n");
    assertThat(text().lines().filter(line -> line.contains("_bucket"))).hasSize(34);
  }

  @Test
  void openMetricsNamesTheLastSampledRequestOfABucket() {
    add(
        MetricNames.SLUICE,
        page ->
            page.family("m", Kind.HISTOGRAM, "Help.")
                .add(List.of(sampled(5), sampled(7)), LATENCY, 1e6));
    add(
        MetricNames.TENSORFLOW,
        page -> page.tensorflowFamily("t", Kind.HISTOGRAM, "Help.").add(sampled(5), 1e6));

    assertThat(page(MetricsFormat.OPEN_METRICS).lines().filter(line -> line.contains(" # ")))
        .containsExactly("m_bucket{le=\"0.01\"} 2 # {span_id=\"7\",trace_id=\"0a\"} 0.005 0.007");
    assertThat(text())
        .contains("m_bucket{le=\"0.01\"} 2\n", "t_bucket{le=\"0.01\"} 1\n")
        .doesNotContain(" # ");
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
    add(
        MetricNames.TENSORFLOW,
        page ->
            page.tensorflowFamily("m", Kind.HISTOGRAM, "Help.").add(new Histogram(LATENCY), 1e3));

    assertThat(text())
        .contains("le=\"32.4\"", "le=\"188.957\"", "le=\"1102\"", "le=\"708235\"")
        .contains("le=\"1.27482e+06\"", "le=\"1.47476e+09\"");
  }

  @Test
  void summariesHaveTheQuantilesOfTheLastMinuteInBothTexts() {
    var times = new LatencySummary();
    List<Double> quantiles = List.of(0.5, 0.99);
    for (MetricNames names : List.of(MetricNames.SLUICE, MetricNames.TRITON)) {
      add(
          names,
          page ->
              page.family("m_" + names, Kind.SUMMARY, "Help.")
                  .add(quantiles, times.shown(quantiles, 0), 1e3, "a", "b"));
    }

    assertThat(text())
        .contains("m_SLUICE{a=\"b\",quantile=\"0.5\"} NaN\n", "m_SLUICE_count{a=\"b\"} 0\n")
        .contains("m_TRITON{a=\"b\",quantile=\"0.99\"} NaN\n", "m_TRITON_sum{a=\"b\"} 0\n");
  }

  @Test
  void snapshotsAreOfSluicesOwnNamesAndOfWhatOtherRegistriesHave() {
    var other = new PrometheusRegistry();
    other.register(() -> GaugeSnapshot.builder().name("plugin_size").build());
    registries.collect(other::scrape);
    registries.bind(registry -> Counter.builder("boots").register(registry).increment());
    add(MetricNames.SLUICE, page -> page.single("mine", Kind.GAUGE, "Help.", 1));
    add(MetricNames.TRITON, page -> page.single("nv", Kind.GAUGE, "Help.", 1));
    add(MetricNames.TENSORFLOW, page -> page.single(":tf", Kind.GAUGE, "Help.", 1));
    add(MetricNames.KSERVE, page -> page.single("its", Kind.GAUGE, "Help.", 1));

    assertThat(registries.snapshots())
        .extracting(family -> family.getMetadata().getName())
        .containsExactlyInAnyOrder("mine", "boots", "plugin_size");
  }

  @Test
  void metersAreBoundAtTheFirstScrapeAlone() {
    registries.bind(
        registry -> Counter.builder("boots").description("Starts.").register(registry).increment());

    assertThat(text()).contains("# HELP boots_total Starts.\n", "boots_total 1.0\n");
    assertThat(text()).contains("boots_total 1.0\n");
  }

  @Test
  void firstValuesAreOfCountersAndGaugesByTheirNamesOnThePage() {
    add(MetricNames.SLUICE, page -> page.single("calls_total", Kind.COUNTER, "Help.", 5));
    add(
        MetricNames.TENSORFLOW,
        page -> {
          page.family(":tf:count", Kind.COUNTER, "Help.").add(7, "a", "1").add(8, "a", "2");
          page.tensorflowFamily(":tf:time", Kind.HISTOGRAM, "Help.").add(new Histogram(LATENCY), 1);
        });

    assertThat(registries.firstValues())
        .containsOnly(entry("calls_total", 5L), entry(":tf:count", 7L));
  }

  @Test
  void namesOfTensorflowAreWrittenWithColons() {
    assertThat(MetricsPage.name("/tensorflow/serving/request_count"))
        .isEqualTo(":tensorflow:serving:request_count");
  }
}
