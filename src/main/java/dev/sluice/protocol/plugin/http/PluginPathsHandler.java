package dev.sluice.protocol.plugin.http;

import dev.sluice.inference.DataPlane;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.ModelLookup;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.access.Caller;
import dev.sluice.inference.access.Operation;
import dev.sluice.telemetry.meter.Api;
import dev.sluice.transport.http.HttpExchange;
import dev.sluice.transport.http.HttpProtocolHandler;
import dev.sluice.transport.http.HttpRoutes;
import dev.sluice.transport.http.HttpStatus;
import dev.sluice.transport.http.PluginHttpExchange;
import io.vertx.core.buffer.Buffer;

/**
 * The paths that models bring with them (setting {@code java.path}). They come and go with the
 * models, and give way to every path at which a protocol has something.
 */
public record PluginPathsHandler(DataPlane data) implements HttpProtocolHandler {
  private static final String CHUNKS = "application/octet-stream";

  @Override
  public void mount(HttpRoutes routes) {
    routes.otherwise(path -> data.modelAt(path).isPresent() ? http -> answer(http, path) : null);
  }

  private void answer(HttpExchange http, String path) {
    String model = data.modelAt(path).orElseThrow();
    http.require(Operation.INFER, model);
    http.measure(Api.OWN_HTTP, model);
    http.body()
        .map(body -> {
          data.handle(
              acquire(model, http.caller()), new PluginHttpExchange(http, body, false, CHUNKS));
          return body;
        })
        .onFailure(e -> refuse(http, http.explain(e)));
  }

  private ModelLease acquire(String model, Caller caller) {
    var latest = new ModelSelector.Latest(model);
    if (data.admit(latest, caller) instanceof ModelLookup.Found(ModelLease lease)) {
      return lease;
    }
    throw new InferenceException(
        ErrorCode.UNAVAILABLE, "model '" + model + "' takes no requests now");
  }

  private static void refuse(HttpExchange http, InferenceException why) {
    http.answer(HttpStatus.of(why.code()), "text/plain", Buffer.buffer(why.getMessage()));
  }
}
