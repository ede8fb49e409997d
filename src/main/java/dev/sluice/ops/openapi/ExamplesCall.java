package dev.sluice.ops.openapi;

import dev.sluice.inference.Signature;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Optional;

/**
 * Classification and regression of examples, as TensorFlow Serving has them: each is an object of
 * features, whose names only the model knows.
 *
 * @param method of the signatures that can be asked so
 */
record ExamplesCall(String method) implements ModelCall {
  @Override
  public boolean fits(DescribedVersion version) {
    return !signatures(version).isEmpty();
  }

  private List<String> signatures(DescribedVersion version) {
    return version.metadata().signatures().values().stream()
        .filter(signature -> signature.method().equals(method))
        .map(Signature::name)
        .toList();
  }

  @Override
  public String name() {
    return method.endsWith("classify") ? "Classify" : "Regress";
  }

  @Override
  public JsonObject request(DescribedVersion version, DescribedListener listener) {
    List<String> names = signatures(version);
    var features = new JsonObject().put("type", "object");
    var required = new JsonArray().add("examples");
    if (!names.contains(Signature.DEFAULT)) {
      required.add("signature_name");
    }
    return new JsonObject()
        .put("type", "object")
        .put("required", required)
        .put(
            "properties",
            new JsonObject()
                .put("signature_name", new JsonObject().put("enum", new JsonArray(names)))
                .put("context", features)
                .put("examples", TensorSchema.list(features.copy()).put("minItems", 1)));
  }

  @Override
  public JsonObject response(DescribedVersion version, DescribedListener listener) {
    return new JsonObject()
        .put("type", "object")
        .put("required", new JsonArray().add("results"))
        .put("properties", new JsonObject().put("results", new JsonObject().put("type", "array")));
  }

  @Override
  public Optional<JsonObject> example(DescribedVersion version) {
    return Optional.empty();
  }
}
