package dev.sluice.ops;

import dev.sluice.inference.access.Operation;
import dev.sluice.telemetry.MetricNames;
import dev.sluice.telemetry.Telemetry;
import dev.sluice.transport.http.HttpExchange;
import dev.sluice.transport.http.HttpProtocolHandler;
import dev.sluice.transport.http.HttpRoutes;
import dev.sluice.transport.http.ResponseCoding;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import java.util.Set;

/**
 * The page that Prometheus reads, in its text format. On TensorFlow Serving's own path it has that
 * server's content type and its manners: any method, but no query.
 */
public final class MetricsHandler implements HttpProtocolHandler {
  private static final String TENSORFLOW_PATH = "/monitoring/prometheus/metrics";
  private static final String PLAIN = "text/plain";
  private static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";

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
      send(exchange, PLAIN);
    } else {
      String text = "Unexpected path: " + exchange.target() + ". Should be " + path;
      exchange.answer(400, PLAIN, Buffer.buffer(text));
    }
  }

  private void answer(HttpExchange exchange) {
    String method = exchange.method().name();
    if (method.equals("GET") || method.equals("HEAD")) {
      send(exchange, PROMETHEUS);
    } else {
      exchange.putHeader(HttpHeaders.ALLOW, "GET, HEAD");
      exchange.answer(405, PLAIN, Buffer.buffer("Method Not Allowed"));
    }
  }

  private void send(HttpExchange exchange, String contentType) {
    ResponseCoding coding = ResponseCoding.of(exchange.header(HttpHeaders.ACCEPT_ENCODING));
    if (coding != ResponseCoding.IDENTITY) {
      exchange.putHeader(HttpHeaders.CONTENT_ENCODING, coding.token());
    }
    exchange.putHeader(HttpHeaders.VARY, HttpHeaders.ACCEPT_ENCODING);
    exchange
        .compute(LARGE, () -> page(coding))
        .onSuccess(page -> exchange.answer(200, contentType, page))
        .onFailure(failure -> {
          String text = exchange.explain(failure).getMessage();
          exchange.putHeader(HttpHeaders.CONTENT_ENCODING, HttpHeaders.IDENTITY);
          exchange.answer(500, PLAIN, Buffer.buffer(text));
        });
  }

  private Buffer page(ResponseCoding coding) {
    return coding.encode(Buffer.buffer(telemetry.page(names)));
  }
}
