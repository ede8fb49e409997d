package dev.sluice.protocol.oip.http;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.control.ModelLoad;
import dev.sluice.protocol.codec.JsonCursor;
import dev.sluice.protocol.codec.JsonException;
import dev.sluice.protocol.codec.JsonString;
import dev.sluice.protocol.codec.JsonWriter;
import dev.sluice.protocol.oip.Excerpt;
import dev.sluice.protocol.oip.KserveLoads;
import dev.sluice.protocol.oip.LoadParameters;
import dev.sluice.protocol.oip.OipServer;
import dev.sluice.protocol.oip.RepositoryIndex;
import dev.sluice.protocol.oip.http.json.JsonFields;
import dev.sluice.protocol.oip.http.json.OipMetadataJson;
import dev.sluice.transport.Body;
import dev.sluice.transport.http.HttpExchange;
import io.vertx.core.Future;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.function.Consumer;
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
        .map(RepositoryRoutes::onlyReady)
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
        body -> loadOf(model, body),
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
        RepositoryRoutes::dependents,
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

  private static ModelLoad loadOf(String model, Body body) {
    var load = new LoadParameters();
    readParameters(
        body,
        in -> {
          String name = in.key();
          switch (LoadParameters.kind(name)) {
            case CONFIG -> load.setConfig(JsonFields.string(in, name));
            case FILE -> load.addFile(name, content(name, in));
          }
        });
    return load.of(model);
  }

  private static byte[] content(String name, JsonCursor in) {
    JsonString text = JsonFields.bytes(in, name);
    try {
      ByteBuffer base64 = ByteBuffer.wrap(text.bytes(), text.offset(), text.length());
      ByteBuffer content = Base64.getDecoder().decode(base64);
      byte[] bytes = new byte[content.remaining()];
      content.get(bytes);
      return bytes;
    } catch (IllegalArgumentException e) {
      throw InferenceException.invalid(
          "parameter '" + Excerpt.of(name) + "' is no base64: " + e.getMessage());
    }
  }

  private static boolean dependents(Body body) {
    boolean[] dependents = {false};
    readParameters(
        body,
        in -> {
          String name = in.key();
          if (!name.equals(LoadParameters.DEPENDENTS)) {
            throw LoadParameters.unknown("unload", name);
          }
          dependents[0] = JsonFields.bool(in, name);
        });
    return dependents[0];
  }

  /** Reads what a request says beside its path; other members of its body have no meaning. */
  private static void readParameters(Body body, Consumer<JsonCursor> parameter) {
    readMembers(
        body,
        in -> {
          if (!in.keyIs("parameters")) {
            in.skipValue();
          } else if (!JsonFields.isNull(in)) {
            JsonFields.beginObject(in, "parameters");
            while (in.nextKey()) {
              parameter.accept(in);
            }
          }
        });
  }

  private static void readMembers(Body body, Consumer<JsonCursor> member) {
    if (body.length() == 0) {
      return;
    }
    try {
      var in = new JsonCursor(body);
      JsonFields.beginObject(in, "request");
      while (in.nextKey()) {
        member.accept(in);
      }
      in.finish();
    } catch (JsonException e) {
      throw JsonFields.malformed(e);
    }
  }

  private static boolean onlyReady(Body body) {
    boolean[] ready = {false};
    readMembers(
        body,
        in -> {
          if (in.keyIs("ready")) {
            ready[0] = readyFilter(in);
          } else {
            in.skipValue();
          }
        });
    return ready[0];
  }

  private static boolean readyFilter(JsonCursor in) {
    return switch (in.peek()) {
      case TRUE, FALSE -> in.bool();
      case OBJECT, ARRAY, STRING, NUMBER, NULL ->
          throw InferenceException.invalid(
              "Invalid value for 'ready': expected a boolean, got " + JsonFields.excerpt(in));
    };
  }
}
