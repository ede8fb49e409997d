package dev.sluice.ops.openapi;

import dev.sluice.inference.Signature;
import dev.sluice.tensor.TensorSpec;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Inference by the Open Inference Protocol: tensors with a name, a type and a shape. */
final class InferCall implements ModelCall {
  private static final String OCTETS = "application/octet-stream";

  @Override
  public boolean fits(DescribedVersion version) {
    return version.metadata().answersOnce()
        && version.metadata().signature("").filter(InferCall::isCommon).isPresent();
  }

  /** Returns whether the protocol can carry the tensors of a signature. */
  static boolean isCommon(Signature signature) {
    return signature.inputs().stream().allMatch(spec -> spec.optional() || spec.type().isCommon())
        && signature.outputs().stream().anyMatch(spec -> spec.type().isCommon());
  }

  @Override
  public String name() {
    return "Infer";
  }

  static Signature signature(DescribedVersion version) {
    return version.metadata().signature("").orElseThrow();
  }

  /** Returns the inputs: what may be left out comes last. */
  static List<TensorSpec> inputs(DescribedVersion version) {
    return signature(version).inputs().stream()
        .filter(spec -> spec.type().isCommon())
        .sorted(Comparator.comparing(TensorSpec::optional))
        .toList();
  }

  static List<TensorSpec> outputs(DescribedVersion version) {
    return signature(version).outputs().stream().filter(spec -> spec.type().isCommon()).toList();
  }

  @Override
  public JsonObject request(DescribedVersion version, DescribedListener listener) {
    boolean open = version.metadata().open();
    var items = new JsonArray();
    inputs(version).forEach(input -> items.add(input(input)));
    long required = inputs(version).stream().filter(input -> !input.optional()).count();
    JsonObject inputs =
        open
            ? TensorSchema.list(new JsonObject().put("type", "object"))
            : TensorSchema.tuple(items, (int) required);
    return new JsonObject()
        .put("type", "object")
        .put("required", new JsonArray().add("inputs"))
        .put(
            "properties",
            new JsonObject()
                .put("id", new JsonObject().put("type", "string"))
                .put("parameters", reference("Parameters"))
                .put("inputs", inputs.put("description", "The tensors, in any order."))
                .put("outputs", wanted(version, open)));
  }

  static JsonObject reference(String schema) {
    return new JsonObject().put("$ref", "#/components/schemas/" + schema);
  }

  private static JsonObject input(TensorSpec input) {
    return new JsonObject()
        .put("type", "object")
        .put("required", new JsonArray().add("name").add("shape").add("datatype").add("data"))
        .put(
            "properties",
            new JsonObject()
                .put("name", new JsonObject().put("const", input.name()))
                .put("datatype", new JsonObject().put("const", input.type().name()))
                .put("shape", TensorSchema.shape(input.shape()))
                .put("data", data(input)));
  }

  /** Values are one list, or nested as the shape is. */
  private static JsonObject data(TensorSpec input) {
    var items =
        new JsonArray()
            .add(TensorSchema.element(input.type()))
            .add(new JsonObject().put("type", "array"));
    return TensorSchema.list(new JsonObject().put("anyOf", items));
  }

  private static JsonObject wanted(DescribedVersion version, boolean open) {
    var names = new JsonArray(outputs(version).stream().map(TensorSpec::name).toList());
    JsonObject name =
        open ? new JsonObject().put("type", "string") : new JsonObject().put("enum", names);
    return TensorSchema.list(
            new JsonObject()
                .put("type", "object")
                .put("required", new JsonArray().add("name"))
                .put(
                    "properties",
                    new JsonObject()
                        .put("name", name)
                        .put("parameters", reference("OutputParameters"))))
        .put("description", "The outputs to answer with; none named: all.");
  }

  @Override
  public JsonObject response(DescribedVersion version, DescribedListener listener) {
    var text = new JsonObject().put("type", "string");
    var kinds = new JsonArray();
    outputs(version).forEach(output -> kinds.add(output(output)));
    JsonObject output =
        version.metadata().open() ? new JsonObject() : new JsonObject().put("anyOf", kinds);
    return new JsonObject()
        .put("type", "object")
        .put("required", new JsonArray().add("model_name").add("model_version").add("outputs"))
        .put(
            "properties",
            new JsonObject()
                .put("model_name", text)
                .put("model_version", text.copy())
                .put("id", text.copy())
                .put("parameters", new JsonObject().put("type", "object"))
                .put("outputs", TensorSchema.list(output)));
  }

  private static JsonObject output(TensorSpec output) {
    var sizes = new JsonObject().put("type", "integer").put("minimum", 0);
    return new JsonObject()
        .put("type", "object")
        .put("required", new JsonArray().add("name").add("datatype").add("shape"))
        .put(
            "properties",
            new JsonObject()
                .put("name", new JsonObject().put("const", output.name()))
                .put("datatype", new JsonObject().put("enum", types(output)))
                .put("shape", TensorSchema.list(sizes))
                .put("data", outputData(output)));
  }

  /** Classes are text, whatever the output's type is. */
  private static JsonArray types(TensorSpec output) {
    var types = new JsonArray().add(output.type().name());
    return output.type().name().equals("BYTES") ? types : types.add("BYTES");
  }

  private static JsonObject outputData(TensorSpec output) {
    var kinds =
        new JsonArray()
            .add(TensorSchema.given(output.type()))
            .add(new JsonObject().put("type", "string"));
    return TensorSchema.list(new JsonObject().put("anyOf", kinds));
  }

  @Override
  public Optional<JsonObject> example(DescribedVersion version) {
    List<TensorSpec> required =
        inputs(version).stream().filter(input -> !input.optional()).toList();
    if (version.metadata().open() || !required.stream().allMatch(TensorSchema::hasExample)) {
      return Optional.empty();
    }
    var inputs = new JsonArray();
    for (TensorSpec input : required) {
      inputs.add(
          new JsonObject()
              .put("name", input.name())
              .put("shape", sizes(input))
              .put("datatype", input.type().name())
              .put("data", TensorSchema.exampleElements(input)));
    }
    return Optional.of(new JsonObject().put("inputs", inputs));
  }

  private static JsonArray sizes(TensorSpec input) {
    var sizes = new JsonArray();
    for (long dim : TensorSchema.exampleShape(input).dims()) {
      sizes.add(dim);
    }
    return sizes;
  }

  @Override
  public void complete(JsonObject operation) {
    operation
        .getJsonArray("parameters")
        .add(
            new JsonObject()
                .put("$ref", "#/components/parameters/Inference-Header-Content-Length"));
    operation.getJsonObject("requestBody").getJsonObject("content").put(OCTETS, new JsonObject());
    JsonObject ok = operation.getJsonObject("responses").getJsonObject("200");
    ok.getJsonObject("content").put(OCTETS, new JsonObject());
    ok.put(
        "headers",
        new JsonObject()
            .put(
                "Inference-Header-Content-Length",
                new JsonObject()
                    .put("$ref", "#/components/headers/Inference-Header-Content-Length")));
  }
}
