package dev.sluice.protocol.oip.http;

import dev.sluice.protocol.codec.JsonWriter;
import dev.sluice.protocol.oip.KserveLoads;
import dev.sluice.protocol.oip.OipServer;
import dev.sluice.protocol.oip.RepositoryIndex;
import dev.sluice.protocol.oip.http.json.OipMetadataJson;
import dev.sluice.transport.Body;
import dev.sluice.transport.http.HttpExchange;
import io.vertx.core.Future;
import java.util.function.Function;

/**
 * The models there are, and loading and unloading them by name.
 *
 * @param kserve whether loading and unloading are answered as KServe does, with a body
 */
record RepositoryRoutes(OipServer server, boolean kserve) {
  void index(HttpExchange exchange) {
    exchange
        .body()
        .compose(body -> exchange.compute(body.work(), () -> RepositoryBodies.onlyReady(body)))
        .compose(ready -> RepositoryIndex.of(server.control(), ready, exchange.caller()))
        .onComplete(
            entries -> exchange.json(200, OipMetadataJson.index(entries)),
            failure -> OipHttpHandler.fail(exchange, failure));
  }

  void load(HttpExchange exchange, String model) {
    change(
        exchange,
        model,
        "load",
        body -> RepositoryBodies.load(model, body),
        load ->
            kserve
                ? new KserveLoads(server.control()).load(load, exchange.caller())
                : server.control().load(load, exchange.caller()));
  }

  void unload(HttpExchange exchange, String model) {
    change(
        exchange,
        model,
        "unload",
        RepositoryBodies::dependents,
        dependents ->
            kserve
                ? new KserveLoads(server.control()).unload(model, dependents, exchange.caller())
                : server.control().unload(model, dependents, exchange.caller()));
  }

  private <T> void change(
      HttpExchange exchange,
      String model,
      String operation,
      Function<Body, T> reader,
      Function<T, Future<Void>> action) {
    exchange
        .body()
        .compose(body -> exchange.compute(body.work(), () -> reader.apply(body)))
        .compose(action)
        .onComplete(
            _ -> done(exchange, model, operation),
            failure -> OipHttpHandler.fail(exchange, failure));
  }

  private void done(HttpExchange exchange, String model, String operation) {
    if (kserve) {
      var out = new JsonWriter(64).raw("{\"name\":").string(model).raw(',').key(operation);
      exchange.json(200, out.bool(true).raw('}').toBuffer());
    } else {
      exchange.empty(200);
    }
  }
}
