package dev.sluice.ops.openapi;

import dev.sluice.inference.access.Operation;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The paths that have a model in them: one for each model, each version and each label, with
 * schemas of the version's signatures.
 *
 * @param models that the caller may know of
 * @param paths what they are added to
 */
record ModelPaths(
    DescribedListener listener, DescribedModels models, Components components, JsonObject paths) {
  /** Those that templates name. */
  private static final Map<String, ModelCall> CALLS =
      Map.of(
          "infer", new InferCall(),
          "generate", new GenerateCall(false),
          "generate_stream", new GenerateCall(true),
          "predict", new PredictCall(),
          "explain", new ExplainCall(),
          "classify", new ExamplesCall("tensorflow/serving/classify"),
          "regress", new ExamplesCall("tensorflow/serving/regress"));

  private static final String JSON = "application/json";

  /** Adds a call of models, by the name that templates have for it. */
  void add(String path, String method, JsonObject template, Operation operation, String name) {
    ModelCall call = CALLS.get(name);
    for (DescribedVersion version : models.versions(operation)) {
      if (call != null && call.fits(version)) {
        add(path, method, complete(template.copy(), path, call, version), version);
      }
    }
  }

  /** Adds what is asked of each version: one path for all versions of a model. */
  void addVersions(String path, String method, JsonObject template, Operation operation) {
    Map<String, JsonArray> numbers = new TreeMap<>();
    for (DescribedVersion version : models.versions(operation)) {
      numbers.computeIfAbsent(version.model(), _ -> new JsonArray()).add(version.number());
    }
    numbers.forEach((model, versions) -> {
      String place = path.replace("{model}", encode(model));
      JsonObject copy = template.copy();
      DocumentWriter.parameters(copy).add(Components.version(versions));
      components.complete(copy, path);
      copy.put("summary", template.getString("summary") + ": version of " + model);
      copy.put("operationId", components.operationId(method + place));
      DocumentWriter.put(paths, place, method, copy);
    });
  }

  private JsonObject complete(
      JsonObject operation, String path, ModelCall call, DescribedVersion version) {
    String name = version.text() + "." + call.name();
    var content =
        new JsonObject()
            .put("schema", components.schema(name + "Request", call.request(version, listener)));
    call.example(version).ifPresent(example -> content.put("example", example));
    JsonObject response = components.schema(name + "Response", call.response(version, listener));
    var ok =
        new JsonObject()
            .put("description", "The answer.")
            .put("content", new JsonObject().put(JSON, new JsonObject().put("schema", response)));
    operation
        .put(
            "requestBody",
            new JsonObject()
                .put("required", true)
                .put("content", new JsonObject().put(JSON, content)))
        .put("parameters", new JsonArray())
        .put("responses", new JsonObject().put("200", ok));
    call.complete(operation);
    components.complete(operation, path);
    return operation;
  }

  private void add(String path, String method, JsonObject operation, DescribedVersion version) {
    for (Map.Entry<String, String> place : places(path, version).entrySet()) {
      JsonObject copy = operation.copy();
      copy.put("summary", operation.getString("summary") + ": " + place.getValue());
      copy.put("operationId", components.operationId(method + place.getKey()));
      DocumentWriter.put(paths, place.getKey(), method, copy);
    }
  }

  /** Returns the paths by which a version is asked, and their names for people. */
  private Map<String, String> places(String path, DescribedVersion version) {
    Map<String, String> places = new TreeMap<>();
    String model = encode(version.model());
    if (version.latest()) {
      places.put(path.replace("{model}", model), version.model());
    }
    boolean labels = path.startsWith("/v1") && listener.carries(ApiPart.TFS);
    if (!path.startsWith("/v1") || labels) {
      places.put(
          path.replace("{model}", model + "/versions/" + version.number()),
          version.model() + ", version " + version.number());
    }
    for (String label : labels ? version.labels() : List.<String>of()) {
      places.put(
          path.replace("{model}", model + "/labels/" + encode(label)),
          version.model() + ", label " + label);
    }
    return places;
  }

  /** Encodes all that has a meaning in paths, or in templates of paths. */
  private static String encode(String name) {
    return URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20").replace("*", "%2A");
  }
}
