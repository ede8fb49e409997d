package dev.sluice.telemetry;

import dev.sluice.telemetry.meter.Buckets;
import dev.sluice.telemetry.meter.Distribution;
import dev.sluice.telemetry.meter.Distribution.Exemplar;
import dev.sluice.telemetry.meter.LatencySummary;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/**
 * Prometheus' text format, version 0.0.4, or OpenMetrics, in the making. One thread.
 *
 * <p>Labels are escaped, families are written once and in a stable order, so that two pages can be
 * compared.
 */
public final class MetricsPage {
  /** Digits of a bucket's bound: 32.4, not 32.400000000000006. */
  private static final MathContext BOUND = new MathContext(7);

  /** Digits of a bucket's bound under TensorFlow Serving, and the exponents that it writes out. */
  private static final MathContext TENSORFLOW_BOUND = new MathContext(6);

  private static final int WRITTEN_OUT = 6;

  private static final String TOTAL = "_total";

  private final StringBuilder text = new StringBuilder(16 * 1024);
  private final MetricsFormat format;

  MetricsPage(MetricsFormat format) {
    this.format = format;
  }

  /** The kind of a metric. */
  public enum Kind {
    COUNTER,
    GAUGE,
    HISTOGRAM,
    SUMMARY
  }

  /** Begins a metric; its samples follow. */
  public Family family(String name, Kind kind, String help) {
    return family(name, kind, help, false);
  }

  /** Returns a copy with the bounds of buckets as TensorFlow Serving writes them. */
  Family tensorflowFamily(String name, Kind kind, String help) {
    return family(name, kind, help, true);
  }

  private Family family(String name, Kind kind, String help, boolean tensorflow) {
    String family = familyName(name, kind);
    text.append("# HELP ").append(family).append(' ');
    escape(help, format == MetricsFormat.OPEN_METRICS);
    text.append('\n');
    text.append("# TYPE ").append(family).append(' ').append(type(name, kind)).append('\n');
    return new Family(name, tensorflow);
  }

  /** OpenMetrics 1.0, section 5.1: the name of a counter's family is without the suffix. */
  private String familyName(String name, Kind kind) {
    return isOpen(kind) && name.endsWith(TOTAL)
        ? name.substring(0, name.length() - TOTAL.length())
        : name;
  }

  private String type(String name, Kind kind) {
    return isOpen(kind) && !name.endsWith(TOTAL)
        ? "unknown"
        : kind.name().toLowerCase(java.util.Locale.ROOT);
  }

  private boolean isOpen(Kind kind) {
    return format == MetricsFormat.OPEN_METRICS && kind == Kind.COUNTER;
  }

  /** Writes a metric with one series and no labels. */
  public void single(String name, Kind kind, String help, long value) {
    family(name, kind, help).add(value);
  }

  /** Writes a metric with one series and no labels. */
  public void single(String name, Kind kind, String help, double value) {
    family(name, kind, help).add(value);
  }

  String text() {
    return format == MetricsFormat.OPEN_METRICS ? text + "# EOF\n" : text.toString();
  }

  /** Returns the name on the page of TensorFlow's metric of this path. */
  static String name(String path) {
    return path.replaceAll("[^A-Za-z0-9_]", ":");
  }

  /** One metric. Labels are names and values by turns. */
  public final class Family {
    private final String name;
    private final boolean tensorflow;

    private Family(String name, boolean tensorflow) {
      this.name = name;
      this.tensorflow = tensorflow;
    }

    /** Returns a series and its value. */
    public Family add(long value, String... labels) {
      return line("", Long.toString(value), labels);
    }

    /** Returns a series and its value. */
    public Family add(double value, String... labels) {
      return line("", number(value), labels);
    }

    /** Returns a histogram's series. */
    public Family add(Distribution values, double unit, String... labels) {
      return add(List.of(values), values.buckets(), unit, labels);
    }

    /**
     * Returns a histogram's series.
     *
     * @param parts are added up; they have the same buckets
     * @param unit what recorded values are divided by
     */
    Family add(List<Distribution> parts, Buckets buckets, double unit, String... labels) {
      long below = 0;
      for (int i = 0; i < buckets.count(); i++) {
        for (Distribution part : parts) {
          below += part.count(i);
        }
        boolean last = i == buckets.count() - 1;
        String bound = last ? "+Inf" : bound(buckets.bound(i) / unit, tensorflow);
        sample("_bucket", Long.toString(below), with(labels, "le", bound));
        exemplar(parts, i, unit);
        text.append('\n');
      }
      line("_sum", number(parts.stream().mapToLong(Distribution::sum).sum() / unit), labels);
      return line("_count", Long.toString(below), labels);
    }

    /**
     * A summary's series.
     *
     * @param unit what recorded values are divided by
     */
    Family add(List<Double> quantiles, LatencySummary.Shown shown, double unit, String... labels) {
      for (int i = 0; i < quantiles.size(); i++) {
        line(
            "",
            number(shown.quantiles().get(i) / unit),
            with(labels, "quantile", number(quantiles.get(i))));
      }
      line("_sum", number(shown.nanos() / unit), labels);
      return line("_count", Long.toString(shown.count()), labels);
    }

    private static String[] with(String[] labels, String name, String value) {
      String[] more = java.util.Arrays.copyOf(labels, labels.length + 2);
      more[labels.length] = name;
      more[labels.length + 1] = value;
      return more;
    }

    private Family line(String suffix, String value, String... labels) {
      sample(suffix, value, labels);
      text.append('\n');
      return this;
    }

    private void sample(String suffix, String value, String... labels) {
      text.append(name).append(suffix).append('{');
      for (int i = 0; i < labels.length; i += 2) {
        text.append(i == 0 ? "" : ",").append(labels[i]).append("=\"");
        escape(labels[i + 1], true);
        text.append('"');
      }
      text.append("} ").append(value);
    }

    /**
     * Writes the last request with a span of a bucket (OpenMetrics 1.0, section 4.6.1). Metrics
     * that other servers have keep their form.
     */
    private void exemplar(List<Distribution> parts, int bucket, double unit) {
      if (format != MetricsFormat.OPEN_METRICS || tensorflow) {
        return;
      }
      parts.stream()
          .map(part -> part.exemplar(bucket))
          .filter(Objects::nonNull)
          .max(Comparator.comparingLong(Exemplar::epochMillis))
          .ifPresent(last ->
              text.append(" # {trace_id=\"")
                  .append(last.span().traceId())
                  .append("\",span_id=\"")
                  .append(last.span().spanId())
                  .append("\"} ")
                  .append(number(last.value() / unit))
                  .append(' ')
                  .append(BigDecimal.valueOf(last.epochMillis(), 3)));
    }
  }

  /** Writes text of others: Prometheus' own format leaves the quotes in a help text as they are. */
  private void escape(String other, boolean quotes) {
    for (int i = 0; i < other.length(); i++) {
      char c = other.charAt(i);
      switch (c) {
        case '\\' -> text.append("\\\\");
        case '"' -> text.append(quotes ? "\\\"" : "\"");
        case '\n' -> text.append("\\n");
        default -> text.append(c);
      }
    }
  }

  private static String number(double value) {
    if (Double.isInfinite(value)) {
      return value > 0 ? "+Inf" : "-Inf";
    }
    return value == Math.rint(value) && Math.abs(value) < 1L << 53
        ? Long.toString((long) value)
        : Double.toString(value);
  }

  private static String bound(double value, boolean tensorflow) {
    var rounded =
        new BigDecimal(value).round(tensorflow ? TENSORFLOW_BOUND : BOUND).stripTrailingZeros();
    int exponent = rounded.precision() - rounded.scale() - 1;
    return tensorflow && exponent >= WRITTEN_OUT
        ? "%se+%02d".formatted(rounded.movePointLeft(exponent).toPlainString(), exponent)
        : rounded.toPlainString();
  }
}
