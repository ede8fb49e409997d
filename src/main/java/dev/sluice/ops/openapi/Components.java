package dev.sluice.ops.openapi;

import dev.sluice.inference.access.Operation;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The components of a document that is being written, and what every operation has of them. */
final class Components {
  private static final String ERROR = "x-sluice-error";
  private static final List<Integer> ALWAYS = List.of(400, 403, 421, 429, 500, 503);

  private final ComponentNames schemaNames = new ComponentNames();
  private final ComponentNames operationIds = new ComponentNames();
  private final Set<CredentialKind> credentials;
  private final JsonObject json = new JsonObject();

  Components(Set<CredentialKind> credentials) {
    this.credentials = EnumSet.noneOf(CredentialKind.class);
    this.credentials.addAll(credentials);
    merge(OpenApiDocument.common().getJsonObject("components"));
    if (!credentials.isEmpty()) {
      var schemes = new JsonObject();
      this.credentials.forEach(kind -> schemes.put(kind.key(), kind.scheme()));
      json.put("securitySchemes", schemes);
    }
  }

  /** Adds those of a template. */
  void merge(JsonObject template) {
    json.mergeIn(template, 2);
  }

  /** Returns them, without those that nothing refers to. */
  JsonObject json(JsonObject paths) {
    Set<String> used = new LinkedHashSet<>();
    references(paths, used);
    for (Map.Entry<String, Object> kind : json) {
      if (!kind.getKey().equals("securitySchemes")) {
        var all = (JsonObject) kind.getValue();
        String prefix = "#/components/" + kind.getKey() + "/";
        new ArrayList<>(all.fieldNames())
            .stream().filter(name -> !used.contains(prefix + name)).forEach(all::remove);
      }
    }
    return json;
  }

  private void references(Object value, Set<String> used) {
    switch (value) {
      case JsonObject object -> object.forEach(member -> reference(member, used));
      case JsonArray array -> array.forEach(item -> references(item, used));
      case null, default -> {}
    }
  }

  private void reference(Map.Entry<String, Object> member, Set<String> used) {
    if (!member.getKey().equals("$ref")) {
      references(member.getValue(), used);
    } else if (member.getValue() instanceof String reference && used.add(reference)) {
      String[] parts = reference.split("/", -1);
      references(json.getJsonObject(parts[2]).getJsonObject(parts[3]), used);
    }
  }

  /** Adds a schema, and returns a reference to it. */
  JsonObject schema(String name, JsonObject schema) {
    String key = schemaNames.of(name);
    json.getJsonObject("schemas").put(key, schema);
    return InferCall.reference(key);
  }

  /** Returns an identifier of an operation that no other has. */
  String operationId(String wanted) {
    return operationIds.of(wanted.replaceAll("[^A-Za-z0-9]+", "_"));
  }

  /**
   * Returns a reference to the parameter that names a model.
   *
   * @param names that it may have; none if any
   */
  JsonObject model(Operation operation, List<String> names) {
    String key = "model." + operation.text();
    var schema = new JsonObject().put("type", "string");
    if (!names.isEmpty() && DescribedModels.areFew(names)) {
      schema.put("enum", new JsonArray(names));
    } else {
      schema.put("minLength", 1);
    }
    json.getJsonObject("parameters").put(key, inPath("model", schema));
    return new JsonObject().put("$ref", "#/components/parameters/" + key);
  }

  /** Returns the parameter that names a version. */
  static JsonObject version(JsonArray numbers) {
    return inPath("version", new JsonObject().put("type", "integer").put("enum", numbers));
  }

  private static JsonObject inPath(String name, JsonObject schema) {
    return new JsonObject()
        .put("name", name)
        .put("in", "path")
        .put("required", true)
        .put("schema", schema);
  }

  /** Adds what every operation has: headers that it heeds, and answers to what goes wrong. */
  void complete(JsonObject operation, String path) {
    String prefix = (String) operation.remove(ERROR);
    JsonArray parameters = DocumentWriter.parameters(operation);
    for (String name : List.of("Request-Timeout", "X-Request-Id")) {
      parameters.add(new JsonObject().put("$ref", "#/components/parameters/" + name));
    }
    boolean hasBody = operation.containsKey("requestBody");
    List<Integer> statuses = new ArrayList<>(ALWAYS);
    if (!credentials.isEmpty()) {
      statuses.add(401);
    }
    if (path.contains("{") || prefix != null) {
      statuses.add(404);
    }
    if (hasBody) {
      statuses.addAll(List.of(413, 501, 504));
    }
    JsonObject responses = operation.getJsonObject("responses");
    for (int status : statuses.stream().sorted().toList()) {
      String name = (prefix == null ? "Error" : prefix) + status;
      responses.put(
          Integer.toString(status), new JsonObject().put("$ref", "#/components/responses/" + name));
    }
  }

  /** Returns the credentials of which one is wanted; none too for a caller without one. */
  JsonArray security(boolean anonymous) {
    var any = new JsonArray();
    if (anonymous && !credentials.isEmpty()) {
      any.add(new JsonObject());
    }
    credentials.forEach(kind -> any.add(new JsonObject().put(kind.key(), new JsonArray())));
    return any;
  }
}
