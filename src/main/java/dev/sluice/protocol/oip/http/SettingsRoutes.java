package dev.sluice.protocol.oip.http;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelSelector;
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
import java.util.function.Consumer;
import java.util.function.Supplier;

/** The settings of the log and of traces: GET reads them, POST changes them and answers alike. */
record SettingsRoutes(OipServer server) {
  void logging(HttpExchange exchange) {
    answer(exchange, this::setLogging, this::logSettings);
  }

  private void setLogging(HttpExchange exchange, JsonCursor in) {
    var settings = new LogSettings();
    while (in.nextKey()) {
      String name = in.key();
      settings.put(name, JsonParameters.value(name, in));
    }
    in.finish();
    settings.apply(server.logs(), exchange.caller());
  }

  private Buffer logSettings() {
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
    answer(exchange, (from, in) -> setTracing(from, model, in), () -> traceSettings(model));
  }

  private void setTracing(HttpExchange exchange, String model, JsonCursor in) {
    var settings = new TraceSettings();
    while (in.nextKey()) {
      String name = in.key();
      settings.put(name, values(name, in));
    }
    in.finish();
    settings.apply(server, model, exchange.caller());
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

  private Buffer traceSettings(String model) {
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

  /** Changes what a body asks for. */
  @FunctionalInterface
  private interface Change {
    /** Applies the settings of the body. */
    void make(HttpExchange exchange, JsonCursor in);
  }

  private static void answer(HttpExchange exchange, Change change, Supplier<Buffer> settings) {
    if (exchange.method().equals(HttpMethod.GET)) {
      exchange.json(200, settings.get());
      return;
    }
    exchange
        .body()
        .map(body -> {
          read(body, in -> change.make(exchange, in));
          return settings.get();
        })
        .onComplete(
            body -> exchange.json(200, body), failure -> OipHttpHandler.fail(exchange, failure));
  }

  private static void read(Body body, Consumer<JsonCursor> change) {
    try {
      var in = new JsonCursor(body);
      JsonFields.beginObject(in, "request");
      change.accept(in);
    } catch (JsonException e) {
      throw JsonFields.malformed(e);
    }
  }
}
