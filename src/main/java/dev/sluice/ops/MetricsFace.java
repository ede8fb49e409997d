package dev.sluice.ops;

import dev.sluice.inference.Operation;
import dev.sluice.telemetry.Telemetry;
import dev.sluice.transport.http.HttpExchange;
import dev.sluice.transport.http.HttpFace;
import dev.sluice.transport.http.HttpRoutes;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * The page that Prometheus reads, in its text format, with the metrics of every protocol on it. On
 * TensorFlow Serving's own path it has that server's content type and its manners: any method, but
 * no query.
 */
public final class MetricsFace implements HttpFace {
  private static final String TENSORFLOW_PATH = "/monitoring/prometheus/metrics";
  private static final String PLAIN = "text/plain";
  private static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";

  /** A page has some ten KiB for each model, and is made by a worker whatever it has. */
  private static final long LARGE = Long.MAX_VALUE;

  private final Telemetry telemetry;
  private final String path;

  /**
   * @param path where the page is
   */
  public MetricsFace(Telemetry telemetry, String path) {
    this.telemetry = telemetry;
    this.path = path;
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
    boolean zipped = takesGzip(exchange);
    if (zipped) {
      exchange.putHeader(HttpHeaders.CONTENT_ENCODING, "gzip");
    }
    exchange.putHeader(HttpHeaders.VARY, HttpHeaders.ACCEPT_ENCODING);
    exchange
        .compute(LARGE, () -> page(zipped))
        .onSuccess(page -> exchange.answer(200, contentType, page))
        .onFailure(failure -> {
          String text = exchange.explain(failure).getMessage();
          exchange.putHeader(HttpHeaders.CONTENT_ENCODING, HttpHeaders.IDENTITY);
          exchange.answer(500, PLAIN, Buffer.buffer(text));
        });
  }

  private static boolean takesGzip(HttpExchange exchange) {
    @Nullable String accepted = exchange.header(HttpHeaders.ACCEPT_ENCODING);
    if (accepted == null) {
      return false;
    }
    String codings = accepted.toLowerCase(Locale.ROOT).replace(" ", "");
    return codings.contains("gzip") && !codings.matches(".*gzip;q=0(\\.0*)?(,.*)?");
  }

  private Buffer page(boolean zipped) {
    byte[] text = telemetry.page().getBytes(StandardCharsets.UTF_8);
    return Buffer.buffer(zipped ? gzip(text) : text);
  }

  private static byte[] gzip(byte[] text) {
    var packed = new ByteArrayOutputStream(text.length / 8);
    try (var out = new GZIPOutputStream(packed)) {
      out.write(text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return packed.toByteArray();
  }
}
