package dev.sluice.telemetry.exposition;

import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.DataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Label;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.prometheus.metrics.model.snapshots.Quantile;
import io.prometheus.metrics.model.snapshots.SummarySnapshot;
import io.prometheus.metrics.model.snapshots.SummarySnapshot.SummaryDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.UnknownSnapshot;
import io.prometheus.metrics.model.snapshots.UnknownSnapshot.UnknownDataPointSnapshot;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Prometheus' text format 0.0.4 as TensorFlow Serving and Triton write it, in the making. Their
 * counters are typed as such but do not end in {@code _total}, which Prometheus' client cannot
 * write; scripts that read their pages line by line find the order of labels and the form of
 * numbers that they know. One thread.
 */
final class CompatibleText {
  /** Digits of a bucket's bound, and the exponents that are written out: those of C++. */
  private static final MathContext BOUND = new MathContext(6);

  private static final int WRITTEN_OUT = 6;
  private static final long EXACT = 1L << 53;
  private static final String TOTAL = "_total";

  /** The model comes first, whatever its label is called, then the others by name. */
  private static final Comparator<Label> ORDER =
      Comparator.comparing((Label label) -> !label.getName().startsWith("model"))
          .thenComparing(Label::getName);

  private final StringBuilder text = new StringBuilder(16 * 1024);
  private final Map<Double, String> bounds = new HashMap<>();

  private CompatibleText() {}

  /** Returns the families, those without series among them. */
  static String of(MetricSnapshots families) {
    var page = new CompatibleText();
    families.forEach(page::family);
    return page.text.toString();
  }

  private void family(MetricSnapshot family) {
    String name = family.getMetadata().getName();
    switch (family) {
      case GaugeSnapshot _ -> head(family, name, "gauge");
      case HistogramSnapshot _ -> head(family, name, "histogram");
      case SummarySnapshot _ -> head(family, name, "summary");
      case UnknownSnapshot _ -> head(family, name, "counter");
      default -> {
        name += TOTAL;
        head(family, name, "counter");
      }
    }
    for (DataPointSnapshot point : family.getDataPoints()) {
      point(name, point);
    }
  }

  private void head(MetricSnapshot family, String name, String type) {
    text.append("# HELP ").append(name).append(' ').append(family.getMetadata().getHelp());
    text.append("\n# TYPE ").append(name).append(' ').append(type).append('\n');
  }

  private void point(String name, DataPointSnapshot point) {
    String labels = labels(point);
    switch (point) {
      case CounterDataPointSnapshot counter -> line(name, labels, number(counter.getValue()));
      case UnknownDataPointSnapshot counter -> line(name, labels, number(counter.getValue()));
      case GaugeDataPointSnapshot gauge -> line(name, labels, number(gauge.getValue()));
      case HistogramDataPointSnapshot histogram -> histogram(name, labels, histogram);
      case SummaryDataPointSnapshot summary -> summary(name, labels, summary);
      default -> throw new IllegalStateException("no text for a " + point.getClass());
    }
  }

  private void histogram(String name, String labels, HistogramDataPointSnapshot histogram) {
    ClassicHistogramBuckets buckets = histogram.getClassicBuckets();
    String before = labels.isEmpty() ? "" : labels + ",";
    long below = 0;
    for (int i = 0; i < buckets.size(); i++) {
      below += buckets.getCount(i);
      String bound = bounds.computeIfAbsent(buckets.getUpperBound(i), CompatibleText::bound);
      line(name + "_bucket", before + bound, Long.toString(below));
    }
    line(name + "_sum", labels, number(histogram.getSum()));
    line(name + "_count", labels, Long.toString(below));
  }

  private void summary(String name, String labels, SummaryDataPointSnapshot summary) {
    String before = labels.isEmpty() ? "" : labels + ",";
    for (Quantile quantile : summary.getQuantiles()) {
      String share = "quantile=\"" + number(quantile.getQuantile()) + '"';
      line(name, before + share, number(quantile.getValue()));
    }
    line(name + "_sum", labels, number(summary.getSum()));
    line(name + "_count", labels, Long.toString(summary.getCount()));
  }

  /** Writes a sample; both servers write braces without labels too. */
  private void line(String name, String labels, String value) {
    text.append(name).append('{').append(labels).append("} ").append(value).append('\n');
  }

  private static String labels(DataPointSnapshot point) {
    return point.getLabels().stream()
        .sorted(ORDER)
        .map(label -> label.getName() + "=\"" + escaped(label.getValue()) + '"')
        .collect(Collectors.joining(","));
  }

  private static String escaped(String value) {
    return value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
  }

  private static String number(double value) {
    if (Double.isInfinite(value)) {
      return value > 0 ? "+Inf" : "-Inf";
    }
    return value == Math.rint(value) && Math.abs(value) < EXACT
        ? Long.toString((long) value)
        : Double.toString(value);
  }

  private static String bound(double value) {
    return "le=\"" + (Double.isInfinite(value) ? "+Inf" : sixDigits(new BigDecimal(value))) + '"';
  }

  private static String sixDigits(BigDecimal value) {
    BigDecimal rounded = value.round(BOUND).stripTrailingZeros();
    int exponent = rounded.precision() - rounded.scale() - 1;
    return exponent >= WRITTEN_OUT
        ? "%se+%02d".formatted(rounded.movePointLeft(exponent).toPlainString(), exponent)
        : rounded.toPlainString();
  }
}
