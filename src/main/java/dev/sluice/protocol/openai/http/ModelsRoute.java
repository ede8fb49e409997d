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

/**
 * The models that a caller may know of, in this interface's form.
 *
 * @param data finds models
 * @param control lists models
 * @param reports writes what they are
 */
record ModelsRoute(DataPlane data, ControlPlane control, ModelReports reports) {
  void list(HttpExchange exchange) {
    var out = new JsonWriter(256).raw('{');
    reports.list(control.models(exchange.caller(), Operation.REPOSITORY_INDEX), out);
    exchange.json(200, out.raw('}').toBuffer());
  }

  void one(HttpExchange exchange, String name) {
    exchange.measure(Api.OPENAI_MODEL, name);
    var selector = new ModelSelector.Latest(name);
    OpenAiModels.found(data.find(selector, exchange.caller(), Operation.MODEL_METADATA))
        .read(ModelLease::id);
    var out = new JsonWriter(128).raw('{');
    reports.model(name, out);
    exchange.json(200, out.raw('}').toBuffer());
  }
}
