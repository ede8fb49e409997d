package dev.sluice.testing;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import org.hawkular.agent.prometheus.text.TextPrometheusMetricDataParser;
import org.hawkular.agent.prometheus.types.Counter;
import org.hawkular.agent.prometheus.types.Gauge;
import org.hawkular.agent.prometheus.types.Histogram;
import org.hawkular.agent.prometheus.types.Metric;
import org.hawkular.agent.prometheus.types.MetricFamily;
import org.jspecify.annotations.Nullable;

/** A metrics page as Prometheus understands it. */
public final class PrometheusPage {
  private final Map<String, MetricFamily> families = new TreeMap<>();

  /** Reads a page in the text format. */
  public PrometheusPage(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    try {
      var parser = new TextPrometheusMetricDataParser(new ByteArrayInputStream(bytes));
      for (var family = parser.parse(); family != null; family = parser.parse()) {
        if (families.put(family.getName(), family) != null) {
          throw new AssertionError(family.getName() + " is on the page twice");
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The series of a metric, by name; null if it has none. */
  public @Nullable MetricFamily family(String name) {
    return families.get(name);
  }

  /** The sum of a counter's or gauge's series that have these labels, names and values by turns. */
  public double sum(String name, String... labels) {
    double sum = 0;
    MetricFamily family = families.get(name);
    if (family != null) {
      for (Metric metric : family.getMetrics()) {
        sum += matches(metric, labels) ? value(metric) : 0;
      }
    }
    return sum;
  }

  /** A histogram's number of values counts as its value. */
  private static double value(Metric metric) {
    return switch (metric) {
      case Counter counter -> counter.getValue();
      case Gauge gauge -> gauge.getValue();
      case Histogram histogram -> histogram.getSampleCount();
      default -> throw new AssertionError("a " + metric.getClass() + " is not expected here");
    };
  }

  private static boolean matches(Metric metric, String... labels) {
    for (int i = 0; i < labels.length; i += 2) {
      if (!labels[i + 1].equals(metric.getLabels().get(labels[i]))) {
        return false;
      }
    }
    return true;
  }
}
