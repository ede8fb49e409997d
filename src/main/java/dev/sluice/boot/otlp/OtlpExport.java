package dev.sluice.boot.otlp;

import dev.sluice.boot.cli.VersionText;
import dev.sluice.config.SluiceConfig.Observability;
import dev.sluice.config.otlp.CollectorConfig;
import dev.sluice.config.otlp.TracingConfig;
import dev.sluice.telemetry.ServerClock;
import dev.sluice.telemetry.Telemetry;
import dev.sluice.telemetry.span.RequestSpans;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.resources.Resource;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What a server sends to collectors by OTLP, over HTTP or gRPC: spans, metrics or both. Nothing of
 * OpenTelemetry is loaded by a server that sends neither.
 *
 * <p>Threads: the main thread.
 */
public final class OtlpExport {
  /** The last spans and metrics are waited for so long, at most. */
  private static final Duration LAST = Duration.ofSeconds(2);

  private final Observability config;
  private final Vertx vertx;
  private final Resource resource;
  private final @Nullable SpanExport spans;
  private @Nullable MetricExport metrics;

  private OtlpExport(Observability config, Vertx vertx) {
    this.config = config;
    this.vertx = vertx;
    this.resource = resource(config.tracing());
    this.spans =
        exporters(config.tracing().collector())
            .map(collector ->
                new SpanExport(
                    config.tracing(),
                    collector,
                    resource,
                    ServerClock.NANO_TIME,
                    InstantSource.system()))
            .orElse(null);
  }

  /**
   * Returns the export that settings ask for; null if they ask for none.
   *
   * @param vertx sends what goes by gRPC
   */
  public static @Nullable OtlpExport of(Observability config, Vertx vertx) {
    boolean none =
        config.tracing().collector().endpoint().isEmpty()
            && config.metricsExport().collector().endpoint().isEmpty();
    return none ? null : new OtlpExport(config, vertx);
  }

  private Optional<CollectorExporters> exporters(CollectorConfig collector) {
    return collector.endpoint().map(endpoint -> new CollectorExporters(collector, endpoint, vertx));
  }

  private static Resource resource(TracingConfig config) {
    AttributesBuilder attributes = Attributes.builder();
    attributes.put("service.name", config.serviceName());
    attributes.put("service.version", VersionText.number());
    attributes.put("service.instance.id", UUID.randomUUID().toString());
    CollectorConfig.named(config.resource()).forEach(attributes::put);
    return Resource.getDefault().merge(Resource.create(attributes.build()));
  }

  /** Returns which requests have spans; null if none has. */
  public @Nullable RequestSpans spans() {
    return spans == null ? null : spans.spans();
  }

  /** Begins to send metrics, and shows what is sent among them. Once. */
  public void begin(Telemetry telemetry) {
    if (spans != null) {
      telemetry.add(spans);
    }
    exporters(config.metricsExport().collector())
        .ifPresent(collector -> {
          var reading = new MetricReading(telemetry::snapshots, resource, InstantSource.system());
          metrics =
              new MetricExport(
                  collector.metrics(),
                  collector.endpoint(),
                  config.metricsExport().interval(),
                  reading);
          telemetry.add(metrics);
        });
  }

  /**
   * Sends what waits, and all metrics once more. Blocks, but not for long: a collector that does
   * not take it is not waited for.
   *
   * @param drainTimeout time that the shutdown may take
   */
  public void close(Duration drainTimeout) {
    List<CompletableResultCode> ends = new ArrayList<>();
    if (spans != null) {
      ends.add(spans.shutdown());
    }
    if (metrics != null) {
      ends.add(metrics.shutdown());
    }
    long millis = Math.min(drainTimeout.toMillis(), LAST.toMillis());
    var _ = CompletableResultCode.ofAll(ends).join(millis, TimeUnit.MILLISECONDS);
  }
}
