package dev.sluice.boot.tracing;

import dev.sluice.boot.cli.VersionText;
import dev.sluice.config.server.TracingConfig;
import dev.sluice.telemetry.exposition.MetricSource;
import dev.sluice.telemetry.exposition.MetricsPage;
import dev.sluice.telemetry.span.CallSpan;
import dev.sluice.telemetry.span.RequestSpans;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.common.ComponentLoader;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporterBuilder;
import io.opentelemetry.exporter.otlp.trace.OtlpGrpcSpanExporter;
import io.opentelemetry.exporter.otlp.trace.OtlpGrpcSpanExporterBuilder;
import io.opentelemetry.sdk.common.export.GrpcSenderProvider;
import io.opentelemetry.sdk.common.export.RetryPolicy;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.SpanLimits;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import io.vertx.core.Vertx;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Sends spans to a collector by OTLP, over HTTP or gRPC. What is kept for it is bounded; what goes
 * beyond is dropped and counted, and no event loop ever waits.
 */
public final class SpanExport implements MetricSource {
  /** Spans that wait to be sent, at most: some 2 MB. */
  private static final int MOST_WAITING = 4_096;

  private static final int MOST_AT_ONCE = 512;
  private static final Duration INTERVAL = Duration.ofSeconds(1);
  private static final Duration TIMEOUT = Duration.ofSeconds(5);
  private static final int ATTEMPTS = 3;

  /** Longer than all attempts to send a message take: the next one waits for that. */
  private static final Duration ALL_ATTEMPTS = Duration.ofSeconds(30);

  private static final RetryPolicy RETRIES =
      RetryPolicy.builder()
          .setMaxAttempts(ATTEMPTS)
          .setInitialBackoff(Duration.ofMillis(300))
          .setMaxBackoff(Duration.ofSeconds(1))
          .build();

  private static final Duration LAST_SPANS = Duration.ofSeconds(2);
  private static final String TRACES = "/v1/traces";

  /** The SDK's own log, which would repeat what is logged here. Kept, or its level is forgotten. */
  private static final Logger SDK_LOG = Logger.getLogger("io.opentelemetry");

  private final SdkTracerProvider provider;
  private final WatchedExporter exporter;
  private final BoundedProcessor processor;
  private final RequestSpans spans;

  private SpanExport(
      TracingConfig config, SpanExporter sent, LongSupplier nanoTime, InstantSource clock) {
    SDK_LOG.setLevel(Level.OFF);
    this.exporter = new WatchedExporter(sent, config.endpoint().orElseThrow());
    this.processor =
        new BoundedProcessor(
            BatchSpanProcessor.builder(exporter)
                .setMaxQueueSize(MOST_WAITING)
                .setMaxExportBatchSize(MOST_AT_ONCE)
                .setScheduleDelay(INTERVAL)
                .setExporterTimeout(ALL_ATTEMPTS)
                .build(),
            MOST_WAITING);
    exporter.onTaken(processor::taken);
    this.provider =
        SdkTracerProvider.builder()
            .setSampler(Sampler.alwaysOn())
            .setResource(resource(config))
            .setSpanLimits(
                SpanLimits.builder().setMaxAttributeValueLength(CallSpan.LONGEST_TEXT).build())
            .addSpanProcessor(processor)
            .build();
    this.spans =
        new RequestSpans(
            provider.get("dev.sluice"),
            config.samplingRatio(),
            config.parentBased(),
            nanoTime,
            clock);
  }

  /**
   * Returns the export that settings ask for; null if they ask for none.
   *
   * @param vertx sends what goes by gRPC
   */
  public static @Nullable SpanExport of(
      TracingConfig config, Vertx vertx, LongSupplier nanoTime, InstantSource clock) {
    URI endpoint = config.endpoint().orElse(null);
    if (endpoint == null) {
      return null;
    }
    SpanExporter exporter =
        switch (config.protocol()) {
          case HTTP -> overHttp(config, endpoint);
          case GRPC -> overGrpc(config, endpoint, vertx);
        };
    return new SpanExport(config, exporter, nanoTime, clock);
  }

  private static SpanExporter overGrpc(TracingConfig config, URI endpoint, Vertx vertx) {
    GrpcSenderProvider provider = sender -> new GrpcSpanSender(vertx, sender);
    OtlpGrpcSpanExporterBuilder builder =
        OtlpGrpcSpanExporter.builder()
            .setComponentLoader(new OneSender(provider))
            .setEndpoint(endpoint.toString())
            .setTimeout(TIMEOUT)
            .setConnectTimeout(TIMEOUT)
            .setRetryPolicy(RETRIES)
            .setCompression("gzip");
    TracingConfig.named(config.headers()).forEach(builder::addHeader);
    return builder.build();
  }

  /** Has the SDK find our sender in place of one that the class path has. */
  private record OneSender(GrpcSenderProvider provider) implements ComponentLoader {
    @Override
    public <T> Iterable<T> load(Class<T> kind) {
      return kind.isInstance(provider) ? List.of(kind.cast(provider)) : List.of();
    }
  }

  private static SpanExporter overHttp(TracingConfig config, URI endpoint) {
    OtlpHttpSpanExporterBuilder builder =
        OtlpHttpSpanExporter.builder()
            .setEndpoint(traces(endpoint).toString())
            .setTimeout(TIMEOUT)
            .setConnectTimeout(TIMEOUT)
            .setRetryPolicy(RETRIES)
            .setCompression("gzip");
    TracingConfig.named(config.headers()).forEach(builder::addHeader);
    return builder.build();
  }

  /** An address without a path is a collector's, whose path is the standard one. */
  private static URI traces(URI endpoint) {
    String path = endpoint.getPath();
    return path == null || path.isEmpty() || path.equals("/") ? endpoint.resolve(TRACES) : endpoint;
  }

  private static Resource resource(TracingConfig config) {
    AttributesBuilder attributes = Attributes.builder();
    attributes.put("service.name", config.serviceName());
    attributes.put("service.version", VersionText.number());
    attributes.put("service.instance.id", UUID.randomUUID().toString());
    TracingConfig.named(config.resource()).forEach(attributes::put);
    return Resource.getDefault().merge(Resource.create(attributes.build()));
  }

  /** Returns which requests have spans. */
  public RequestSpans spans() {
    return spans;
  }

  @Override
  public void write(MetricsPage page) {
    page.single(
        "sluice_spans_exported_total",
        MetricsPage.Kind.COUNTER,
        "Spans that the collector has taken.",
        exporter.exported());
    page.single(
        "sluice_spans_dropped_total",
        MetricsPage.Kind.COUNTER,
        "Spans that were not exported: too many waited, or the collector did not take them.",
        exporter.lost() + processor.dropped());
  }

  /**
   * Sends what waits, and ends. Blocks, but not for long: a collector that does not take it is not
   * waited for.
   *
   * @param drainTimeout time that the shutdown may take
   */
  public void close(Duration drainTimeout) {
    long millis = Math.min(drainTimeout.toMillis(), LAST_SPANS.toMillis());
    var _ = provider.shutdown().join(millis, TimeUnit.MILLISECONDS);
  }
}
