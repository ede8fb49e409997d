package dev.sluice.protocol.grps.http;

import dev.sluice.inference.DataPlane;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelLease;
import dev.sluice.protocol.grps.ModelResolver;
import dev.sluice.telemetry.meter.Api;
import dev.sluice.transport.Body;
import dev.sluice.transport.http.HttpExchange;
import dev.sluice.transport.http.HttpStatus;
import dev.sluice.transport.http.PluginHttpExchange;
import io.vertx.core.buffer.Buffer;

/**
 * Has the model's plugin read predict requests and write the answers. Only the query can name the
 * model, and failures are plain text.
 */
record CustomRoute(DataPlane data, ModelResolver models, StreamControl control) {
  void answer(HttpExchange http) {
    http.body()
        .map(body -> {
          hand(http, body);
          return body;
        })
        .onFailure(e -> refuse(http, http.explain(e)));
  }

  private void hand(HttpExchange http, Body body) {
    var query = new PredictQueryParameters(http.query());
    boolean streaming = control.asksInHead(http, query) || control.asksInBody(body);
    ModelLease lease = models.acquire(query.model(), http.caller());
    http.measure(Api.OWN_HTTP, lease.id().name());
    data.handle(lease, new PluginHttpExchange(http, body, streaming, control.contentType()));
  }

  private static void refuse(HttpExchange http, InferenceException why) {
    int status = why.code() == ErrorCode.NOT_FOUND ? 500 : HttpStatus.of(why.code());
    http.answer(status, "text/plain; charset=utf-8", Buffer.buffer(why.getMessage()));
  }
}
