package dev.sluice.ops.openapi;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.access.Caller;
import dev.sluice.inference.access.Operation;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Writes one document for one caller: what the caller may not do, or the listener does not carry,
 * is left out. Used once, by one thread.
 */
final class DocumentWriter {
  static final String OPERATION = "x-sluice-operation";
  private static final String PART = "x-sluice-part";
  private static final String EACH = "x-sluice-each";
  private static final String SHARED_TAG = "operations";

  private final DescribedListener listener;
  private final DescribedModels models;
  private final Caller caller;
  private final Components components;
  private final JsonObject paths = new JsonObject();
  private final ModelPaths modelPaths;

  /**
   * @param models that the caller may know of
   */
  DocumentWriter(DescribedListener listener, DescribedModels models, Caller caller) {
    this.listener = listener;
    this.models = models;
    this.caller = caller;
    this.components = new Components(listener.credentials());
    this.modelPaths = new ModelPaths(listener, models, components, paths);
  }

  /** Returns the document. */
  JsonObject write(OpenApiDocument document) {
    JsonObject template = document.template();
    add(template, false);
    if (document == OpenApiDocument.SERVER) {
      OpenApiDocument.of(listener).stream()
          .filter(other -> other != document)
          .forEach(other -> add(other.template(), true));
    }
    JsonObject info = template.getJsonObject("info").put("version", listener.version());
    if (models.omitted() > 0) {
      info.put("x-sluice-omitted-versions", models.omitted());
    }
    return new JsonObject()
        .put("openapi", "3.1.1")
        .put("info", info)
        .put("servers", new JsonArray().add(new JsonObject().put("url", "..")))
        .put("security", components.security(caller.isAnonymous()))
        .put("paths", paths)
        .put("components", components.json(paths));
  }

  /**
   * Adds what a template has.
   *
   * @param shared only what concerns operating the server
   */
  private void add(JsonObject template, boolean shared) {
    components.merge(template.getJsonObject("components"));
    for (String path : template.getJsonObject("paths").fieldNames()) {
      for (Map.Entry<String, Object> method : template.getJsonObject("paths").getJsonObject(path)) {
        var operation = (JsonObject) method.getValue();
        if (!shared || operation.getJsonArray("tags").contains(SHARED_TAG)) {
          operation.getJsonArray("tags").remove(SHARED_TAG);
          offer(path, method.getKey(), operation);
        }
      }
    }
  }

  private void offer(String path, String method, JsonObject operation) {
    String part = (String) operation.remove(PART);
    if (part != null && !listener.carries(ApiPart.of(part))) {
      return;
    }
    Operation asked = Operation.valueOf(operation.getString(OPERATION).toUpperCase(Locale.ROOT));
    String each = (String) operation.remove(EACH);
    if (each != null) {
      modelPaths.add(path, method, operation, asked, each);
    } else if (path.contains("{version}")) {
      modelPaths.addVersions(path, method, operation, asked);
    } else if (mayAsk(asked)) {
      plain(path, method, operation, asked);
    }
  }

  private boolean mayAsk(Operation operation) {
    try {
      caller.require(operation);
      return true;
    } catch (InferenceException _) {
      return false;
    }
  }

  private void plain(String path, String method, JsonObject operation, Operation asked) {
    JsonArray parameters = parameters(operation);
    if (path.contains("{model}")) {
      List<String> names = names(asked);
      if (names.isEmpty() && !asked.isControl()) {
        return;
      }
      parameters.add(components.model(asked, names));
    }
    documentNames(path, parameters);
    components.complete(operation, path);
    String actual = asked == Operation.METRICS ? listener.metricsPath() : path;
    operation.put("operationId", components.operationId(method + actual));
    put(paths, actual, method, operation);
  }

  /** Any name may be loaded; a model that is there is asked for what it is. */
  private List<String> names(Operation asked) {
    return switch (asked) {
      case LOAD, UNLOAD -> List.of();
      case TRACING -> models.names(Operation.MODEL_METADATA);
      default -> models.names(asked);
    };
  }

  static JsonArray parameters(JsonObject operation) {
    if (!operation.containsKey("parameters")) {
      operation.put("parameters", new JsonArray());
    }
    return operation.getJsonArray("parameters");
  }

  static void put(JsonObject paths, String path, String method, JsonObject operation) {
    if (!paths.containsKey(path)) {
      paths.put(path, new JsonObject());
    }
    paths.getJsonObject(path).put(method, operation);
  }

  private void documentNames(String path, JsonArray parameters) {
    if (path.contains("{document}")) {
      var names =
          new JsonArray(OpenApiDocument.of(listener).stream().map(OpenApiDocument::key).toList());
      parameters.getJsonObject(0).getJsonObject("schema").put("enum", names);
    }
  }
}
