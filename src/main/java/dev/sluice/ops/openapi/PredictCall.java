package dev.sluice.ops.openapi;

import dev.sluice.inference.Signature;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorSpec;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Optional;

/** Prediction by the paths below {@code /v1}: rows, or columns where TensorFlow Serving's are. */
final class PredictCall implements ModelCall {
  private static final String ROWS = "instances";
  private static final String COLUMNS = "inputs";
  private static final String PREDICT = "tensorflow/serving/predict";

  @Override
  public boolean fits(DescribedVersion version) {
    return version.metadata().answersOnce() && !signatures(version).isEmpty();
  }

  @Override
  public String name() {
    return "Predict";
  }

  /** Returns the signatures that can be asked so: the default first. */
  private static List<Signature> signatures(DescribedVersion version) {
    return version.metadata().signatures().values().stream()
        .filter(PredictCall::isPlain)
        .filter(signature -> signature.method().isEmpty() || signature.method().equals(PREDICT))
        .filter(
            signature -> !version.metadata().methodsBind() || signature.method().equals(PREDICT))
        .toList();
  }

  private static boolean isPlain(Signature signature) {
    return !signature.inputs().isEmpty()
        && signature.compositeInputs().isEmpty()
        && signature.inputs().stream().allMatch(spec -> spec.type().isCommon())
        && signature.outputs().stream().allMatch(spec -> spec.type().isCommon());
  }

  @Override
  public JsonObject request(DescribedVersion version, DescribedListener listener) {
    if (version.metadata().open()) {
      return new JsonObject().put("type", "object");
    }
    var forms = new JsonArray();
    for (Signature signature : signatures(version)) {
      if (hasRows(signature)) {
        forms.add(form(signature, ROWS, instances(signature)));
      }
      if (listener.carries(ApiPart.TFS)) {
        forms.add(form(signature, COLUMNS, columns(signature)));
      }
    }
    return new JsonObject().put("anyOf", forms);
  }

  /** Returns whether every tensor has rows. */
  static boolean hasRows(Signature signature) {
    return signature.inputs().stream().allMatch(PredictCall::hasRows)
        && signature.outputs().stream().allMatch(PredictCall::hasRows);
  }

  private static boolean hasRows(TensorSpec tensor) {
    return tensor.shape().isRankKnown()
        && tensor.shape().rank() > 0
        && tensor.shape().dim(0) == Shape.ANY;
  }

  private static JsonObject form(Signature signature, String key, JsonObject values) {
    var properties = new JsonObject();
    var required = new JsonArray().add(key);
    properties.put("signature_name", new JsonObject().put("const", signature.name()));
    if (!signature.name().equals(Signature.DEFAULT)) {
      required.add("signature_name");
    }
    properties.put(key, values);
    properties.put(key.equals(ROWS) ? COLUMNS : ROWS, false);
    return new JsonObject()
        .put("type", "object")
        .put("title", signature.name() + ", " + key)
        .put("required", required)
        .put("properties", properties);
  }

  private static JsonObject instances(Signature signature) {
    var rows = new JsonObject();
    for (TensorSpec input : signature.inputs()) {
      rows.put(input.name(), values(input, input.shape().withoutRows()));
    }
    JsonObject row =
        rows.size() == 1
            ? values(
                signature.inputs().getFirst(), signature.inputs().getFirst().shape().withoutRows())
            : named(signature, rows);
    return TensorSchema.list(row).put("minItems", 1);
  }

  private static JsonObject columns(Signature signature) {
    var columns = new JsonObject();
    for (TensorSpec input : signature.inputs()) {
      columns.put(input.name(), values(input, input.shape()));
    }
    JsonObject all = named(signature, columns);
    all.remove("additionalProperties");
    return all;
  }

  private static JsonObject named(Signature signature, JsonObject values) {
    var required = new JsonArray();
    signature.inputs().stream()
        .filter(input -> !input.optional())
        .forEach(input -> required.add(input.name()));
    return new JsonObject()
        .put("type", "object")
        .put("required", required)
        .put("properties", values)
        .put("additionalProperties", false);
  }

  private static JsonObject values(TensorSpec input, Shape shape) {
    return TensorSchema.nested(element(input.type()), shape);
  }

  /** Returns the schema of one element: bytes may come as base64. */
  private static JsonObject element(DataType type) {
    if (type != DataType.BYTES) {
      return TensorSchema.element(type);
    }
    var encoded =
        new JsonObject()
            .put("type", "object")
            .put("required", new JsonArray().add("b64"))
            .put(
                "properties",
                new JsonObject()
                    .put(
                        "b64",
                        new JsonObject()
                            .put("type", "string")
                            .put("contentEncoding", "base64")
                            .put(
                                "pattern",
                                "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$")))
            .put("additionalProperties", false);
    return new JsonObject()
        .put("anyOf", new JsonArray().add(TensorSchema.element(type)).add(encoded));
  }

  @Override
  public JsonObject response(DescribedVersion version, DescribedListener listener) {
    var keys =
        new JsonArray()
            .add(new JsonObject().put("required", new JsonArray().add("predictions")))
            .add(new JsonObject().put("required", new JsonArray().add("outputs")));
    return new JsonObject()
        .put("type", "object")
        .put("anyOf", keys)
        .put(
            "properties",
            new JsonObject()
                .put("predictions", new JsonObject().put("type", "array"))
                .put("outputs", new JsonObject()));
  }

  @Override
  public Optional<JsonObject> example(DescribedVersion version) {
    List<Signature> all = signatures(version);
    Signature signature =
        all.stream()
            .filter(each -> each.name().equals(Signature.DEFAULT))
            .findFirst()
            .orElse(all.getFirst());
    List<TensorSpec> inputs =
        signature.inputs().stream().filter(input -> !input.optional()).toList();
    if (version.metadata().open() || !inputs.stream().allMatch(TensorSchema::hasExample)) {
      return Optional.empty();
    }
    var example = new JsonObject();
    if (!signature.name().equals(Signature.DEFAULT)) {
      example.put("signature_name", signature.name());
    }
    boolean rows = hasRows(signature);
    Object values =
        rows && inputs.size() == 1 && signature.inputs().size() == 1
            ? TensorSchema.exampleNested(inputs.getFirst(), 1)
            : named(inputs, rows ? 1 : 0);
    return Optional.of(
        rows ? example.put(ROWS, new JsonArray().add(values)) : example.put(COLUMNS, values));
  }

  private static JsonObject named(List<TensorSpec> inputs, int from) {
    var values = new JsonObject();
    inputs.forEach(input -> values.put(input.name(), TensorSchema.exampleNested(input, from)));
    return values;
  }
}
