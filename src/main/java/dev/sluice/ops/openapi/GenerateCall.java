package dev.sluice.ops.openapi;

import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorSpec;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Optional;

/**
 * Inference by Triton's generate extension: flat JSON with members named like the tensors.
 *
 * @param streamed whether it is answered by server-sent events
 */
record GenerateCall(boolean streamed) implements ModelCall {
  @Override
  public boolean fits(DescribedVersion version) {
    return (streamed || version.metadata().answersOnce())
        && version.metadata().signature("").filter(InferCall::isCommon).isPresent();
  }

  @Override
  public String name() {
    return streamed ? "GenerateStream" : "Generate";
  }

  @Override
  public JsonObject request(DescribedVersion version, DescribedListener listener) {
    var properties =
        new JsonObject()
            .put("id", new JsonObject().put("type", "string"))
            .put("parameters", InferCall.reference("Parameters"));
    var required = new JsonArray();
    for (TensorSpec input : InferCall.inputs(version)) {
      properties.put(input.name(), value(input));
      if (!input.optional()) {
        required.add(input.name());
      }
    }
    var other =
        new JsonObject()
            .put("type", new JsonArray().add("string").add("integer").add("number").add("boolean"));
    return new JsonObject()
        .put("type", "object")
        .put("required", required)
        .put("properties", properties)
        .put("additionalProperties", other);
  }

  /** Returns the schema of one value, or a list of them whatever the rank. */
  private static JsonObject value(TensorSpec input) {
    long elements = 1;
    boolean open = !input.shape().isRankKnown();
    for (long dim : input.shape().dims()) {
      open |= dim == Shape.ANY;
      elements *= dim == Shape.ANY ? 1 : dim;
    }
    JsonObject element = TensorSchema.element(input.type());
    JsonObject list = TensorSchema.list(element);
    if (!open) {
      list.put("minItems", elements).put("maxItems", elements);
    }
    return elements == 1
        ? new JsonObject().put("anyOf", new JsonArray().add(element.copy()).add(list))
        : list;
  }

  @Override
  public JsonObject response(DescribedVersion version, DescribedListener listener) {
    var text = new JsonObject().put("type", "string");
    return new JsonObject()
        .put("type", "object")
        .put("required", new JsonArray().add("model_name").add("model_version"))
        .put(
            "properties",
            new JsonObject()
                .put("id", text)
                .put("model_name", text.copy())
                .put("model_version", text.copy()));
  }

  @Override
  public Optional<JsonObject> example(DescribedVersion version) {
    List<TensorSpec> required =
        InferCall.inputs(version).stream().filter(input -> !input.optional()).toList();
    if (version.metadata().open() || !required.stream().allMatch(TensorSchema::hasExample)) {
      return Optional.empty();
    }
    var example = new JsonObject();
    for (TensorSpec input : required) {
      JsonArray elements = TensorSchema.exampleElements(input);
      example.put(input.name(), elements.size() == 1 ? elements.getValue(0) : elements);
    }
    return Optional.of(example);
  }

  @Override
  public void complete(JsonObject operation) {
    if (streamed) {
      JsonObject ok = operation.getJsonObject("responses").getJsonObject("200");
      ok.put("description", "Each event is a response, or an error, as JSON.");
      ok.put("content", new JsonObject().put("text/event-stream", new JsonObject()));
    }
  }
}
