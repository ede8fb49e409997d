package dev.sluice.protocol.openai.http;

import dev.sluice.inference.DataPlane;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.access.Operation;
import dev.sluice.inference.control.ControlPlane;
import dev.sluice.protocol.codec.JsonWriter;
import dev.sluice.protocol.openai.generation.OpenAiModels;
import dev.sluice.telemetry.meter.Api;
import dev.sluice.transport.http.HttpExchange;
import java.time.InstantSource;

/**
 * The models that a caller may know of, in this interface's form.
 *
 * @param data finds models
 * @param control lists models
 * @param started when the server was started: the server does not know when models were made
 */
record ModelsRoute(DataPlane data, ControlPlane control, InstantSource started) {
  void list(HttpExchange exchange) {
    var out = new JsonWriter(256).raw("{\"object\":\"list\",\"data\":[");
    boolean first = true;
    for (String name : control.models(exchange.caller(), Operation.REPOSITORY_INDEX)) {
      if (!first) {
        out.raw(',');
      }
      first = false;
      model(out, name);
    }
    exchange.json(200, out.raw("]}").toBuffer());
  }

  void one(HttpExchange exchange, String name) {
    exchange.measure(Api.OPENAI_MODEL, name);
    var selector = new ModelSelector.Latest(name);
    OpenAiModels.found(data.find(selector, exchange.caller(), Operation.MODEL_METADATA))
        .read(ModelLease::id);
    var out = new JsonWriter(128);
    model(out, name);
    exchange.json(200, out.toBuffer());
  }

  private void model(JsonWriter out, String name) {
    out.raw("{\"id\":").string(name).raw(",\"object\":\"model\",\"created\":");
    out.number(started.instant().getEpochSecond()).raw(",\"owned_by\":\"sluice\"}");
  }
}
