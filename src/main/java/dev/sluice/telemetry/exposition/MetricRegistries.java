package dev.sluice.telemetry.exposition;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.micrometer.core.instrument.Clock;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The registries of a server's metrics: Micrometer's for all by names of Sluice's own, and one for
 * the names of each server that it stands in for. Any thread.
 *
 * <p>Meters of requests are in none of them: sources read them on each scrape, so that a request
 * looks up no series, and what a version has counted ends with it.
 */
public final class MetricRegistries {
  private final Map<MetricNames, PrometheusRegistry> registries = new EnumMap<>(MetricNames.class);
  private final List<Consumer<PrometheusMeterRegistry>> bindings = new CopyOnWriteArrayList<>();

  @GuardedBy("this")
  private boolean bound;

  public MetricRegistries() {
    for (MetricNames names : MetricNames.values()) {
      registries.put(names, new PrometheusRegistry());
    }
  }

  private PrometheusRegistry of(MetricNames names) {
    return Objects.requireNonNull(registries.get(names));
  }

  /** Collects what a source has, on each scrape. */
  public void add(MetricSource source) {
    of(source.names()).register(() -> MetricsPage.of(source));
  }

  /** Collects what another registry has, by names of Sluice's own, on each scrape. */
  public void collect(MultiCollector collector) {
    of(MetricNames.SLUICE).register(collector);
  }

  /** Has meters bound to Micrometer's registry at the first scrape: a start waits for none. */
  public void bind(Consumer<PrometheusMeterRegistry> meters) {
    bindings.add(meters);
  }

  private synchronized void bind() {
    if (!bound) {
      bound = true;
      var registry =
          new PrometheusMeterRegistry(
              PrometheusConfig.DEFAULT, of(MetricNames.SLUICE), Clock.SYSTEM);
      bindings.forEach(binding -> binding.accept(registry));
    }
  }

  /** Returns the value of the first series of each counter and gauge, by its name on the page. */
  public Map<String, Long> firstValues() {
    return FirstValues.of(scrape(_ -> true));
  }

  /** Returns the current values by names of Sluice's own. Slow. */
  public MetricSnapshots snapshots() {
    return scrape(MetricNames.SLUICE::equals);
  }

  private MetricSnapshots scrape(Predicate<MetricNames> wanted) {
    bind();
    List<MetricSnapshot> families = new ArrayList<>();
    registries.forEach((names, registry) -> {
      if (wanted.test(names)) {
        registry.scrape().forEach(families::add);
      }
    });
    return new MetricSnapshots(families);
  }

  /** Returns the page by these names in a format. Slow. */
  public byte[] page(Set<MetricNames> wanted, MetricsFormat format) {
    var page = new ByteArrayOutputStream();
    try {
      switch (format) {
        case OPEN_METRICS -> format.writer().write(page, scrape(wanted::contains));
        case PROMETHEUS -> {
          Predicate<MetricNames> own = MetricNames::haveOwnText;
          format.writer().write(page, scrape(own.negate().and(wanted::contains)));
          String others = CompatibleText.of(scrape(own.and(wanted::contains)));
          page.write(others.getBytes(StandardCharsets.UTF_8));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("the page of metrics cannot be written", e);
    }
    return page.toByteArray();
  }
}
