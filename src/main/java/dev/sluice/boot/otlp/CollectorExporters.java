package dev.sluice.boot.otlp;

import dev.sluice.config.otlp.CollectorConfig;
import io.opentelemetry.common.ComponentLoader;
import io.opentelemetry.exporter.otlp.http.metrics.OtlpHttpMetricExporter;
import io.opentelemetry.exporter.otlp.http.metrics.OtlpHttpMetricExporterBuilder;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporterBuilder;
import io.opentelemetry.exporter.otlp.metrics.OtlpGrpcMetricExporter;
import io.opentelemetry.exporter.otlp.metrics.OtlpGrpcMetricExporterBuilder;
import io.opentelemetry.exporter.otlp.trace.OtlpGrpcSpanExporter;
import io.opentelemetry.exporter.otlp.trace.OtlpGrpcSpanExporterBuilder;
import io.opentelemetry.sdk.common.export.GrpcSenderProvider;
import io.opentelemetry.sdk.common.export.RetryPolicy;
import io.opentelemetry.sdk.metrics.export.MetricExporter;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.vertx.core.Vertx;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Makes what sends messages to a collector: alike for spans and metrics, whose builders in the SDK
 * have no type in common.
 *
 * @param collector where they go
 * @param endpoint its address
 * @param vertx sends what goes by gRPC
 */
record CollectorExporters(CollectorConfig collector, URI endpoint, Vertx vertx) {
  private static final Duration TIMEOUT = Duration.ofSeconds(5);
  private static final int ATTEMPTS = 3;
  private static final String COMPRESSION = "gzip";

  /** Longer than all attempts to send a message take: the next one waits for that. */
  static final Duration ALL_ATTEMPTS = Duration.ofSeconds(30);

  private static final RetryPolicy RETRIES =
      RetryPolicy.builder()
          .setMaxAttempts(ATTEMPTS)
          .setInitialBackoff(Duration.ofMillis(300))
          .setMaxBackoff(Duration.ofSeconds(1))
          .build();

  /** Has the SDK find our sender in place of one that the class path has. */
  private record OneSender(GrpcSenderProvider provider) implements ComponentLoader {
    @Override
    public <T> Iterable<T> load(Class<T> kind) {
      return kind.isInstance(provider) ? List.of(kind.cast(provider)) : List.of();
    }
  }

  private ComponentLoader sender() {
    return new OneSender(config -> new GrpcMessageSender(vertx, config));
  }

  private Map<String, String> headers() {
    return CollectorConfig.named(collector.headers());
  }

  /** An address without a path is a collector's, whose path is the standard one. */
  private String address(String standardPath) {
    String path = endpoint.getPath();
    boolean bare = path == null || path.isEmpty() || path.equals("/");
    return (bare ? endpoint.resolve(standardPath) : endpoint).toString();
  }

  SpanExporter spans() {
    return switch (collector.protocol()) {
      case HTTP -> spansOverHttp();
      case GRPC -> spansOverGrpc();
    };
  }

  private SpanExporter spansOverHttp() {
    OtlpHttpSpanExporterBuilder builder =
        OtlpHttpSpanExporter.builder()
            .setEndpoint(address("/v1/traces"))
            .setTimeout(TIMEOUT)
            .setConnectTimeout(TIMEOUT)
            .setRetryPolicy(RETRIES)
            .setCompression(COMPRESSION);
    headers().forEach(builder::addHeader);
    return builder.build();
  }

  private SpanExporter spansOverGrpc() {
    OtlpGrpcSpanExporterBuilder builder =
        OtlpGrpcSpanExporter.builder()
            .setComponentLoader(sender())
            .setEndpoint(endpoint.toString())
            .setTimeout(TIMEOUT)
            .setConnectTimeout(TIMEOUT)
            .setRetryPolicy(RETRIES)
            .setCompression(COMPRESSION);
    headers().forEach(builder::addHeader);
    return builder.build();
  }

  MetricExporter metrics() {
    return switch (collector.protocol()) {
      case HTTP -> metricsOverHttp();
      case GRPC -> metricsOverGrpc();
    };
  }

  private MetricExporter metricsOverHttp() {
    OtlpHttpMetricExporterBuilder builder =
        OtlpHttpMetricExporter.builder()
            .setEndpoint(address("/v1/metrics"))
            .setTimeout(TIMEOUT)
            .setConnectTimeout(TIMEOUT)
            .setRetryPolicy(RETRIES)
            .setCompression(COMPRESSION);
    headers().forEach(builder::addHeader);
    return builder.build();
  }

  private MetricExporter metricsOverGrpc() {
    OtlpGrpcMetricExporterBuilder builder =
        OtlpGrpcMetricExporter.builder()
            .setComponentLoader(sender())
            .setEndpoint(endpoint.toString())
            .setTimeout(TIMEOUT)
            .setConnectTimeout(TIMEOUT)
            .setRetryPolicy(RETRIES)
            .setCompression(COMPRESSION);
    headers().forEach(builder::addHeader);
    return builder.build();
  }
}
