package dev.sluice.testing;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.sluice.config.otlp.CollectorConfig;
import dev.sluice.config.otlp.TracingConfig;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerBuilder;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceResponse;
import io.opentelemetry.proto.collector.metrics.v1.MetricsServiceGrpc;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceResponse;
import io.opentelemetry.proto.collector.trace.v1.TraceServiceGrpc;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.resource.v1.Resource;
import io.opentelemetry.proto.trace.v1.Span;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.zip.GZIPInputStream;

/**
 * A collector that keeps what it is sent by OTLP, over HTTP or gRPC, read by OpenTelemetry's own
 * messages. Any thread.
 */
public final class OtlpCollector implements AutoCloseable {
  private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(20);

  private static final Context.Key<Metadata> METADATA = Context.key("metadata");

  private final HttpServer http;
  private final Server grpc;
  private final List<Span> spans = new ArrayList<>();
  private final List<List<Metric>> metrics = new ArrayList<>();
  private final Map<String, String> resource = new TreeMap<>();
  private final Map<String, List<String>> headers = new TreeMap<>();
  private volatile int status = 200;

  public OtlpCollector() throws IOException {
    http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    http.createContext(
        "/v1/traces",
        exchange -> take(exchange, body -> keep(ExportTraceServiceRequest.parseFrom(body))));
    http.createContext(
        "/v1/metrics",
        exchange -> take(exchange, body -> keep(ExportMetricsServiceRequest.parseFrom(body))));
    http.start();
    grpc =
        ServerBuilder.forPort(0)
            .addService(ServerInterceptors.intercept(new TraceService(), new MetadataInterceptor()))
            .addService(
                ServerInterceptors.intercept(new MetricsService(), new MetadataInterceptor()))
            .build()
            .start();
  }

  /** Where it takes both by gRPC. */
  public URI grpcAddress() {
    return URI.create("http://localhost:" + grpc.getPort());
  }

  /** Where it takes both by HTTP. */
  public URI address() {
    return URI.create("http://localhost:" + http.getAddress().getPort());
  }

  /** Settings with which a server of this name sends it the spans of calls that are sampled. */
  public TracingConfig tracing(String service) {
    var to = new CollectorConfig(Optional.of(address()), CollectorConfig.Protocol.HTTP, List.of());
    return new TracingConfig(TracingConfig.DEFAULT.serverTiming(), to, 0, true, service, List.of());
  }

  /** Answers with a status of HTTP from now on; by gRPC one that means as much. */
  public void answer(int with) {
    status = with;
  }

  /** What is done with the bytes of a message. */
  private interface Body {
    void read(InputStream bytes) throws IOException;
  }

  private void take(HttpExchange exchange, Body message) throws IOException {
    try (exchange;
        InputStream body = new GZIPInputStream(exchange.getRequestBody())) {
      if (status == 200) {
        keep(exchange.getRequestHeaders());
        message.read(body);
      } else {
        body.readAllBytes();
      }
      exchange.sendResponseHeaders(status, -1);
    }
  }

  /** Answers, and keeps a message that it takes. */
  private <A> void take(Runnable message, A taken, StreamObserver<A> answer) {
    switch (status) {
      case 200 -> {
        keep(texts(METADATA.get()));
        message.run();
        answer.onNext(taken);
        answer.onCompleted();
      }
      case 503 -> {
        status = 200;
        answer.onError(Status.UNAVAILABLE.asException());
      }
      default -> answer.onError(Status.INVALID_ARGUMENT.asException());
    }
  }

  private final class TraceService extends TraceServiceGrpc.TraceServiceImplBase {
    @Override
    public void export(
        ExportTraceServiceRequest request, StreamObserver<ExportTraceServiceResponse> answer) {
      take(() -> keep(request), ExportTraceServiceResponse.getDefaultInstance(), answer);
    }
  }

  private final class MetricsService extends MetricsServiceGrpc.MetricsServiceImplBase {
    @Override
    public void export(
        ExportMetricsServiceRequest request, StreamObserver<ExportMetricsServiceResponse> answer) {
      take(() -> keep(request), ExportMetricsServiceResponse.getDefaultInstance(), answer);
    }
  }

  private static Map<String, List<String>> texts(Metadata metadata) {
    Map<String, List<String>> texts = new TreeMap<>();
    for (String name : metadata.keys()) {
      if (!name.endsWith(Metadata.BINARY_HEADER_SUFFIX)) {
        var key = Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
        texts.put(name, List.of(Objects.requireNonNull(metadata.get(key))));
      }
    }
    return texts;
  }

  private static final class MetadataInterceptor implements ServerInterceptor {
    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
        ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
      return Contexts.interceptCall(
          Context.current().withValue(METADATA, headers), call, headers, next);
    }
  }

  private synchronized void keep(Map<String, List<String>> sent) {
    headers.putAll(sent);
  }

  private synchronized void keep(Resource from) {
    from.getAttributesList()
        .forEach(pair -> resource.put(pair.getKey(), pair.getValue().getStringValue()));
  }

  private synchronized void keep(ExportTraceServiceRequest request) {
    request
        .getResourceSpansList()
        .forEach(each -> {
          keep(each.getResource());
          each.getScopeSpansList().forEach(scope -> spans.addAll(scope.getSpansList()));
        });
    notifyAll();
  }

  private synchronized void keep(ExportMetricsServiceRequest request) {
    List<Metric> message = new ArrayList<>();
    request
        .getResourceMetricsList()
        .forEach(each -> {
          keep(each.getResource());
          each.getScopeMetricsList().forEach(scope -> message.addAll(scope.getMetricsList()));
        });
    metrics.add(message);
  }

  /** Returns the metrics of each message, in the order in which they came. */
  public synchronized List<List<Metric>> metrics() {
    return List.copyOf(metrics);
  }

  /** Returns all spans once there is one as wanted. */
  public synchronized List<Span> await(String what, Predicate<Span> wanted) {
    long end = System.nanoTime() + TIMEOUT_NANOS;
    while (spans.stream().noneMatch(wanted)) {
      long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
      if (left <= 0) {
        throw new AssertionError("no " + what + " among " + names(spans));
      }
      try {
        wait(left);
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
    return List.copyOf(spans);
  }

  /** Returns the spans of a trace once that of the server is there: it is the last to end. */
  public List<Span> trace(String traceId) {
    return await(
            "server span of " + traceId,
            span ->
                traceId(span).equals(traceId) && span.getKind() == Span.SpanKind.SPAN_KIND_SERVER)
        .stream()
        .filter(span -> traceId(span).equals(traceId))
        .toList();
  }

  public synchronized int size() {
    return spans.size();
  }

  public synchronized Map<String, String> resource() {
    return Map.copyOf(resource);
  }

  public synchronized Map<String, List<String>> headers() {
    return Map.copyOf(headers);
  }

  public static List<String> names(List<Span> spans) {
    return spans.stream().map(Span::getName).toList();
  }

  public static String traceId(Span span) {
    return HexFormat.of().formatHex(span.getTraceId().toByteArray());
  }

  public static String spanId(Span span) {
    return HexFormat.of().formatHex(span.getSpanId().toByteArray());
  }

  public static String parentId(Span span) {
    return HexFormat.of().formatHex(span.getParentSpanId().toByteArray());
  }

  /** Returns the attributes as texts. */
  public static Map<String, String> attributes(Span span) {
    Map<String, String> attributes = new TreeMap<>();
    for (KeyValue pair : span.getAttributesList()) {
      var value = pair.getValue();
      attributes.put(
          pair.getKey(),
          switch (value.getValueCase()) {
            case INT_VALUE -> Long.toString(value.getIntValue());
            case DOUBLE_VALUE -> Double.toString(value.getDoubleValue());
            default -> value.getStringValue();
          });
    }
    return attributes;
  }

  @Override
  public void close() {
    http.stop(0);
    grpc.shutdownNow();
  }
}
