package dev.sluice.ops;

import dev.sluice.transport.http.HttpExchange;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Objects;

/**
 * The scripts that the page of grps' monitor draws its charts with, for pages that were made for
 * it. The console needs none.
 */
enum GrpsScript {
  JQUERY("/grps/v1/js/jquery_min", "jquery/1.8.3/jquery.min.js", 600),
  FLOT("/grps/v1/js/flot_min", "flot/0.8.3/jquery.flot.min.js", 80_000);

  private static final String TYPE = "application/javascript";

  /** As grps' own servers say it, so that what browsers have kept stays good. */
  private static final String LAST_MODIFIED = "Wed, 16 Sep 2015 01:25:30 GMT";

  private final String path;
  private final String maxAge;
  private final String resource;

  GrpsScript(String path, String resource, int maxAgeSeconds) {
    this.path = path;
    this.maxAge = "max-age=" + maxAgeSeconds;
    this.resource = "/META-INF/resources/webjars/" + resource;
  }

  private Buffer read() {
    try (InputStream file = GrpsScript.class.getResourceAsStream(resource)) {
      return Buffer.buffer(Objects.requireNonNull(file, resource).readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Where it is found. */
  String path() {
    return path;
  }

  /** Read on a worker, each time: browsers keep it. */
  void answer(HttpExchange exchange) {
    exchange
        .putHeader(HttpHeaders.LAST_MODIFIED, LAST_MODIFIED)
        .putHeader(HttpHeaders.CACHE_CONTROL, maxAge);
    if (LAST_MODIFIED.equals(exchange.header(HttpHeaders.IF_MODIFIED_SINCE))) {
      exchange.empty(304);
    } else {
      exchange
          .compute(Long.MAX_VALUE, this::read)
          .onSuccess(script -> exchange.answer(200, TYPE, script))
          .onFailure(
              e -> exchange.answer(500, TYPE, Buffer.buffer(exchange.explain(e).getMessage())));
    }
  }
}
