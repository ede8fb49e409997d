package dev.sluice.protocol.oip.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.fuzz.FuzzTarget;
import dev.sluice.fuzz.InputBytes;
import dev.sluice.fuzz.Rejection;
import dev.sluice.inference.access.Caller;
import dev.sluice.testing.FakePlanes;
import dev.sluice.testing.OipServers;
import dev.sluice.transport.Body;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;

/**
 * Bodies that change settings, by the digit in front: 0 of the log, 1 of the traces of all models,
 * 2 of one. The answer is JSON, as another parser reads it. The log's has what the body asked for,
 * as that parser reads it; a level of traces is there once.
 */
final class SettingsBodyFuzz implements FuzzTarget {
  private static final JsonMapper JSON = new JsonMapper();

  @Override
  public void accept(byte[] input) throws IOException {
    var bytes = new InputBytes(input);
    int kind = bytes.below(3);
    byte[] body = bytes.rest();
    var routes = new SettingsRoutes(OipServers.of(new FakePlanes(), () -> 0));
    if (kind == 0) {
      logging(routes, body);
    } else {
      tracing(routes, kind == 1 ? "" : "m", body);
    }
  }

  private static void logging(SettingsRoutes routes, byte[] body) throws IOException {
    Buffer answer =
        Rejection.request(() -> {
          routes.setLogging(Caller.SERVER, Body.of(body));
          return routes.logSettings();
        });
    if (answer != null) {
      JsonNode settings = JSON.readTree(answer.getBytes());
      if (!settings.path("log_verbose_level").canConvertToLong()
          || settings.path("log_verbose_level").asLong() >>> Integer.SIZE != 0) {
        throw new AssertionError("a level that gRPC has no field for: " + settings);
      }
      for (var asked : JSON.readTree(body).properties()) {
        String set = settings.path(asked.getKey()).asText();
        if (!set.equals(asked.getValue().asText())) {
          throw new AssertionError(asked + " was asked for, and it is " + set);
        }
      }
    }
  }

  private static void tracing(SettingsRoutes routes, String model, byte[] body) throws IOException {
    Buffer answer =
        Rejection.request(() -> {
          routes.setTracing(Caller.SERVER, model, Body.of(body));
          return routes.traceSettings(model);
        });
    if (answer != null) {
      JsonNode settings = JSON.readTree(answer.getBytes());
      List<JsonNode> levels = settings.path("trace_level").valueStream().toList();
      if (settings.size() != 6 || new HashSet<>(levels).size() != levels.size()) {
        throw new AssertionError("settings that cannot be: " + settings);
      }
    }
  }
}
