package dev.sluice.ops;

import dev.sluice.inference.access.Operation;
import dev.sluice.telemetry.Telemetry;
import dev.sluice.telemetry.exposition.MetricNames;
import dev.sluice.telemetry.exposition.MetricsFormat;
import dev.sluice.transport.http.HttpExchange;
import dev.sluice.transport.http.HttpProtocolHandler;
import dev.sluice.transport.http.HttpRoutes;
import dev.sluice.transport.http.QualityValues;
import dev.sluice.transport.http.ResponseCoding;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The page that Prometheus reads, in its text format or as OpenMetrics. On TensorFlow Serving's own
 * path it has that server's content type and its manners: any method, but no query.
 */
public final class MetricsHandler implements HttpProtocolHandler {
  private static final String TENSORFLOW_PATH = "/monitoring/prometheus/metrics";
  private static final String PLAIN = "text/plain";
  private static final String OPEN_METRICS = "application/openmetrics-text";

  /** A page has some ten KiB for each model, and is made by a worker whatever it has. */
  private static final long LARGE = Long.MAX_VALUE;

  private final Telemetry telemetry;
  private final String path;
  private final Set<MetricNames> names;

  /**
   * @param path where the page is
   * @param names whose names are on it
   */
  public MetricsHandler(Telemetry telemetry, String path, Set<MetricNames> names) {
    this.telemetry = telemetry;
    this.path = path;
    this.names = Set.copyOf(names);
  }

  @Override
  public void mount(HttpRoutes routes) {
    routes.claimExactly(
        path, Operation.METRICS, path.equals(TENSORFLOW_PATH) ? this::asTensorflow : this::answer);
  }

  private void asTensorflow(HttpExchange exchange) {
    if (exchange.query().isEmpty()) {
      send(exchange, MetricsFormat.PROMETHEUS, PLAIN);
    } else {
      String text = "Unexpected path: " + exchange.target() + ". Should be " + path;
      exchange.answer(400, PLAIN, Buffer.buffer(text));
    }
  }

  private void answer(HttpExchange exchange) {
    String method = exchange.method().name();
    if (method.equals("GET") || method.equals("HEAD")) {
      MetricsFormat format = format(exchange.header(HttpHeaders.ACCEPT));
      send(exchange, format, format.contentType());
    } else {
      exchange.putHeader(HttpHeaders.ALLOW, "GET, HEAD");
      exchange.answer(405, PLAIN, Buffer.buffer("Method Not Allowed"));
    }
  }

  /** OpenMetrics for those that like it at least as much: Prometheus does. */
  private static MetricsFormat format(@Nullable String accept) {
    QualityValues liked = QualityValues.of(accept);
    double open = liked.quality(OPEN_METRICS);
    return open > 0 && open >= liked.quality(PLAIN)
        ? MetricsFormat.OPEN_METRICS
        : MetricsFormat.PROMETHEUS;
  }

  private void send(HttpExchange exchange, MetricsFormat format, String contentType) {
    ResponseCoding coding = ResponseCoding.of(exchange.header(HttpHeaders.ACCEPT_ENCODING));
    if (coding != ResponseCoding.IDENTITY) {
      exchange.putHeader(HttpHeaders.CONTENT_ENCODING, coding.token());
    }
    exchange.putHeader(HttpHeaders.VARY, "accept, accept-encoding");
    exchange
        .compute(LARGE, () -> page(format, coding))
        .onSuccess(page -> exchange.answer(200, contentType, page))
        .onFailure(failure -> {
          String text = exchange.explain(failure).getMessage();
          exchange.putHeader(HttpHeaders.CONTENT_ENCODING, HttpHeaders.IDENTITY);
          exchange.answer(500, PLAIN, Buffer.buffer(text));
        });
  }

  private Buffer page(MetricsFormat format, ResponseCoding coding) {
    return coding.encode(Buffer.buffer(telemetry.page(names, format)));
  }
}
