package dev.sluice.protocol.oip.http;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.access.Caller;
import dev.sluice.inference.access.Operation;
import dev.sluice.protocol.codec.JsonCursor;
import dev.sluice.protocol.codec.JsonCursor.Kind;
import dev.sluice.protocol.codec.JsonException;
import dev.sluice.protocol.codec.JsonWriter;
import dev.sluice.protocol.oip.LogSettings;
import dev.sluice.protocol.oip.OipModels;
import dev.sluice.protocol.oip.OipServer;
import dev.sluice.protocol.oip.TraceSettings;
import dev.sluice.protocol.oip.http.json.JsonFields;
import dev.sluice.protocol.oip.http.json.JsonParameters;
import dev.sluice.protocol.oip.http.json.ResponseParametersJson;
import dev.sluice.telemetry.trace.Traces;
import dev.sluice.transport.Body;
import dev.sluice.transport.http.HttpExchange;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/** The settings of the log and of traces: GET reads them, POST changes them and answers alike. */
record SettingsRoutes(OipServer server) {
  void logging(HttpExchange exchange) {
    answer(exchange, this::setLogging, this::logSettings);
  }

  /**
   * Changes the settings of the log as a body asks for.
   *
   * @throws InferenceException with INVALID_ARGUMENT or UNIMPLEMENTED if there is no such change,
   *     PERMISSION_DENIED if the caller may not make it
   */
  void setLogging(Caller caller, Body body) {
    var settings = new LogSettings();
    read(body, (name, in) -> settings.put(name, JsonParameters.value(name, in)));
    settings.apply(server.logs(), caller);
  }

  Buffer logSettings() {
    var out = new JsonWriter(256);
    ResponseParametersJson.object(LogSettings.of(server.logs()), out);
    return out.toBuffer();
  }

  void tracing(HttpExchange exchange) {
    tracing(exchange, "");
  }

  /**
   * The same for one model.
   *
   * @throws InferenceException with NOT_FOUND if there is none of this name
   */
  void tracing(HttpExchange exchange, ModelSelector model) {
    OipModels.require(server.data(), model, exchange.caller(), Operation.TRACING);
    tracing(exchange, model.name());
  }

  private void tracing(HttpExchange exchange, String model) {
    answer(exchange, (from, body) -> setTracing(from, model, body), () -> traceSettings(model));
  }

  /** Does the same for the settings of traces; of all models if the name is empty. */
  void setTracing(Caller caller, String model, Body body) {
    var settings = new TraceSettings();
    read(body, (name, in) -> settings.put(name, values(name, in)));
    settings.apply(server, model, caller);
  }

  private static List<String> values(String name, JsonCursor in) {
    List<String> values = new ArrayList<>();
    if (in.peek() == Kind.ARRAY) {
      in.beginArray();
      while (in.nextElement()) {
        values.add(JsonFields.string(in, name));
      }
    } else if (in.peek() == Kind.NUMBER) {
      values.add(in.number().toText());
    } else if (!JsonFields.isNull(in)) {
      values.add(JsonFields.string(in, name));
    }
    return values;
  }

  Buffer traceSettings(String model) {
    var out = new JsonWriter(256);
    char before = '{';
    for (var setting : TraceSettings.of(server, model).entrySet()) {
      out.raw(before).key(setting.getKey());
      if (setting.getKey().equals(Traces.LEVEL)) {
        levels(setting.getValue(), out);
      } else {
        out.string(setting.getValue().getFirst());
      }
      before = ',';
    }
    return out.raw('}').toBuffer();
  }

  private static void levels(List<String> levels, JsonWriter out) {
    char before = '[';
    for (String level : levels) {
      out.raw(before).string(level);
      before = ',';
    }
    out.raw(']');
  }

  private static void answer(
      HttpExchange exchange, BiConsumer<Caller, Body> change, Supplier<Buffer> settings) {
    if (exchange.method().equals(HttpMethod.GET)) {
      exchange.json(200, settings.get());
      return;
    }
    exchange
        .body()
        .map(body -> {
          change.accept(exchange.caller(), body);
          return settings.get();
        })
        .onComplete(
            body -> exchange.json(200, body), failure -> OipHttpHandler.fail(exchange, failure));
  }

  /** Gives each member of a body's object, by its name, to what reads its value. */
  private static void read(Body body, BiConsumer<String, JsonCursor> setting) {
    try {
      var in = new JsonCursor(body);
      JsonFields.beginObject(in, "request");
      while (in.nextKey()) {
        setting.accept(in.key(), in);
      }
      in.finish();
    } catch (JsonException e) {
      throw JsonFields.malformed(e);
    }
  }
}
