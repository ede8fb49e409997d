package dev.sluice.serving.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sluice.extension.Metrics;
import dev.sluice.inference.ModelId;
import dev.sluice.telemetry.Telemetry;
import dev.sluice.telemetry.exposition.MetricNames;
import dev.sluice.telemetry.exposition.MetricsFormat;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a plugin may record, and what the page says of it. */
class PluginMetricsTest {
  private static final ModelId WORDS = new ModelId("words", 1);

  private final PluginMetrics all = new PluginMetrics();
  private final Telemetry telemetry = Telemetry.unseen();
  private final PluginVersionMetrics metrics = all.of(WORDS);

  @BeforeEach
  void show() {
    all.addTo(telemetry);
  }

  private String page(MetricsFormat format) {
    byte[] page = telemetry.page(EnumSet.of(MetricNames.SLUICE), format);
    return new String(page, StandardCharsets.UTF_8);
  }

  private String page() {
    return page(MetricsFormat.PROMETHEUS);
  }

  @Test
  void eachKindIsOnThePageUnderItsFamily() {
    metrics.counter("texts_total", "Texts.", "lang", "en").add(3);
    metrics.counter("texts_total", "Texts.", "lang", "en").add(4);
    metrics.gauge("load", "How \"full\" it is.\nNow.").set(0.5);
    metrics.timer("lookup_seconds", "Lookups.").record(Duration.ofMillis(1500));

    assertThat(page())
        .contains(
            "# HELP plugin_texts_total Texts.\n# TYPE plugin_texts_total counter\n",
            "plugin_texts_total{lang=\"en\",model=\"words\",version=\"1\"} 7.0\n",
            "# HELP plugin_load How \"full\" it is.\\nNow.\n# TYPE plugin_load gauge\n",
            "plugin_load{model=\"words\",version=\"1\"} 0.5\n",
            "# TYPE plugin_lookup_seconds histogram\n",
            "plugin_lookup_seconds_bucket{model=\"words\",version=\"1\",le=\"+Inf\"} 1\n",
            "plugin_lookup_seconds_max{model=\"words\",version=\"1\"} 1.5\n",
            "plugin_lookup_seconds_sum{model=\"words\",version=\"1\"} 1.5\n",
            "plugin_lookup_seconds_count{model=\"words\",version=\"1\"} 1\n");
    assertThat(page(MetricsFormat.OPEN_METRICS))
        .contains("# TYPE plugin_texts counter\n", "How \\\"full\\\" it is.\\nNow.\n");
  }

  @Test
  void labelsInAnotherOrderAreTheSameSeriesAndOtherNamesAnotherOne() {
    metrics.gauge("load", "Load.", "a", "1", "b", "2").set(1);
    metrics.gauge("load", "Load.", "b", "2", "a", "1").set(2);
    all.of(new ModelId("other", 2)).gauge("load", "Load.", "c", "3").set(3);

    assertThat(page().lines().filter(line -> line.startsWith("plugin_load{")))
        .containsExactly(
            "plugin_load{a=\"1\",b=\"2\",model=\"words\",version=\"1\"} 2.0",
            "plugin_load{c=\"3\",model=\"other\",version=\"2\"} 3.0");
  }

  @Test
  void infinityIsWrittenAsPrometheusReadsIt() {
    metrics.gauge("most", "Most.").set(Double.POSITIVE_INFINITY);
    metrics.gauge("least", "Least.").set(Double.NEGATIVE_INFINITY);

    assertThat(page())
        .contains(
            "plugin_most{model=\"words\",version=\"1\"} +Inf\n",
            "plugin_least{model=\"words\",version=\"1\"} -Inf\n");
  }

  @Test
  void modelsShareAFamily() {
    metrics.gauge("load", "Load.").set(1);
    all.of(new ModelId("other", 2)).gauge("load", "Load.").set(2);

    assertThat(page())
        .containsOnlyOnce("# TYPE plugin_load gauge")
        .contains(
            "plugin_load{model=\"words\",version=\"1\"} 1.0\n",
            "plugin_load{model=\"other\",version=\"2\"} 2.0\n");
  }

  @Test
  void seriesBeyondTheLimitRecordNothingAndAreCounted() {
    for (int i = 0; i < Metrics.MOST_SERIES + 5; i++) {
      metrics.counter("texts_total", "Texts.", "text", "t" + i).add(1);
    }
    metrics.timer("lookup_seconds", "Lookups.").record(Duration.ofSeconds(1));

    assertThat(page().lines().filter(line -> line.startsWith("plugin_")))
        .hasSize(Metrics.MOST_SERIES);
    assertThat(page()).contains("sluice_plugin_series_refused_total 6.0\n");
  }

  @Test
  void bucketsOfTimersCountAgainstTheLimit() {
    for (int i = 0; i < Metrics.MOST_SERIES; i++) {
      metrics.timer("lookup_seconds", "Lookups.", "text", "t" + i).record(Duration.ofSeconds(1));
    }

    assertThat(page().lines().filter(line -> line.startsWith("plugin_")).count())
        .isBetween(Metrics.MOST_SERIES - 50L, (long) Metrics.MOST_SERIES);
  }

  @Test
  void longLabelsAreCut() {
    metrics.gauge("load", "Load.", "who", "x".repeat(Metrics.LONGEST_LABEL + 1)).set(1);

    assertThat(page()).contains("who=\"" + "x".repeat(Metrics.LONGEST_LABEL) + "\"} 1.0\n");
  }

  @Test
  void seriesEndWithTheVersionAndTheNewestLoadIsShown() {
    metrics.gauge("load", "Load.").set(1);
    PluginVersionMetrics reload = all.of(WORDS);
    reload.gauge("load", "Load.").set(2);
    assertThat(page()).contains("plugin_load{model=\"words\",version=\"1\"} 2.0\n");
    assertThat(page()).doesNotContain("plugin_load{model=\"words\",version=\"1\"} 1.0\n");

    reload.close();
    assertThat(page()).contains("plugin_load{model=\"words\",version=\"1\"} 1.0\n");
    metrics.close();
    assertThat(page()).doesNotContain("plugin_load");
  }

  @Test
  void mistakesAreNamed() {
    assertMistake(() -> metrics.counter("texts", ""), "counter 'texts': wanted a name that ends");
    assertMistake(() -> metrics.gauge("a_seconds", ""), "gauge 'a_seconds': wanted a name that");
    assertMistake(() -> metrics.gauge("a_seconds_max", ""), "gauge 'a_seconds_max': wanted a name");
    assertMistake(() -> metrics.gauge("a-b", ""), "gauge 'a-b': wanted a name of letters");
    assertMistake(() -> metrics.timer("a", ""), "timer 'a': wanted a name that ends in _seconds");
    assertMistake(() -> metrics.gauge("a", "", "x"), "by turns, got [x]");
    assertMistake(() -> metrics.gauge("a", "", "model", "m"), "'model' is no name of a label");
    assertMistake(() -> metrics.gauge("a", "", "x", "1", "x", "2"), "has the label 'x' twice");
    assertMistake(() -> metrics.counter("a_total", "").add(-1), "got an amount of -1");
    assertMistake(
        () -> metrics.timer("a_seconds", "").record(Duration.ofSeconds(-1)), "got one of PT-1S");
  }

  @Test
  void oneFamilyHasOneKind() {
    metrics.gauge("texts", "Texts.").set(1);

    assertMistake(
        () -> all.of(new ModelId("other", 1)).counter("texts_total", "Texts."),
        "metric 'texts_total' would be a counter, but model words/1 has the gauge 'texts'");
  }

  private static void assertMistake(Runnable work, String text) {
    assertThatIllegalArgumentException().isThrownBy(work::run).withMessageContaining(text);
  }
}
