package dev.sluice.protocol.oip.http;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.access.Operation;
import dev.sluice.protocol.oip.Excerpt;
import dev.sluice.protocol.oip.LoadParameters;
import dev.sluice.transport.http.HttpExchange;
import dev.sluice.transport.http.PercentCoding;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A parsed path under {@code /v2}.
 *
 * @param resource what is asked for
 * @param model the name of the model, or of the region of shared memory; empty if the path names
 *     none
 * @param version the version's digits; empty if the path names none
 */
record OipPath(Resource resource, String model, String version) {
  /** The resource of a path, and its methods. */
  enum Resource {
    LIVE(Operation.HEALTH, "/v2/health/live", "GET"),
    READY(Operation.HEALTH, "/v2/health/ready", "GET"),
    SERVER(Operation.SERVER_METADATA, "/v2", "GET"),
    MODELS(Operation.REPOSITORY_INDEX, "/v2/models", "GET"),
    STATISTICS(Operation.STATISTICS, "/v2/models/stats", "GET"),
    INDEX(Operation.REPOSITORY_INDEX, "/v2/repository/index", "POST"),
    LOAD(Operation.LOAD, "/v2/repository/models/{model}/load", "POST"),
    UNLOAD(Operation.UNLOAD, "/v2/repository/models/{model}/unload", "POST"),
    MODEL(Operation.MODEL_METADATA, "/v2/models/{model}", "GET"),
    MODEL_READY(Operation.MODEL_READY, "/v2/models/{model}/ready", "GET"),
    MODEL_CONFIG(Operation.MODEL_CONFIG, "/v2/models/{model}/config", "GET"),
    MODEL_STATISTICS(Operation.MODEL_STATISTICS, "/v2/models/{model}/stats", "GET"),
    INFER(Operation.INFER, "/v2/models/{model}/infer", "POST"),
    GENERATE(Operation.INFER, "/v2/models/{model}/generate", "POST"),
    GENERATE_STREAM(Operation.INFER, "/v2/models/{model}/generate_stream", "POST"),
    LOGGING(Operation.LOGGING, "/v2/logging", "GET", "POST"),
    TRACING(Operation.TRACING, "/v2/trace/setting", "GET", "POST"),
    MODEL_TRACING(Operation.TRACING, "/v2/models/{model}/trace/setting", "GET", "POST"),
    SHARED_STATUS(Operation.SHARED_MEMORY, "/v2/systemsharedmemory/status", "GET"),
    SHARED_REGISTER(
        Operation.SHARED_MEMORY, "/v2/systemsharedmemory/region/{region}/register", "POST"),
    SHARED_UNREGISTER(Operation.SHARED_MEMORY, "/v2/systemsharedmemory/unregister", "POST"),
    CUDA_STATUS(Operation.SHARED_MEMORY, "/v2/cudasharedmemory/status", "GET"),
    CUDA_REGISTER(Operation.SHARED_MEMORY, "/v2/cudasharedmemory/region/{region}/register", "POST"),
    CUDA_UNREGISTER(Operation.SHARED_MEMORY, "/v2/cudasharedmemory/unregister", "POST");

    private final Operation operation;
    private final String path;
    private final String method;
    private final String other;

    Resource(Operation operation, String path, String method) {
      this(operation, path, method, method);
    }

    Resource(Operation operation, String path, String method, String other) {
      this.operation = operation;
      this.path = path;
      this.method = method;
      this.other = other;
    }

    /** Returns the operation that the caller needs the right to. */
    Operation operation() {
      return operation;
    }

    /** Returns whether it is there only where shared memory is served. */
    boolean isShared() {
      return operation == Operation.SHARED_MEMORY;
    }

    /** Returns its shortest path, with {@code {model}} for a model's name. */
    String path() {
      return path;
    }

    /** Returns the HTTP methods by which it is asked for. */
    Set<String> methods() {
      return new LinkedHashSet<>(List.of(method, other));
    }

    boolean allows(String asked) {
      return asked.equals(method) || asked.equals(other);
    }

    /** Returns the HTTP methods by which it is asked for, as the header Allow lists them. */
    String allowed() {
      return method.equals(other) ? method : method + ", " + other;
    }
  }

  /**
   * Reads a path.
   *
   * @param path as it was sent
   * @throws InferenceException NOT_FOUND if nothing is there, INVALID_ARGUMENT for an empty name
   */
  static OipPath of(String path) {
    Resource fixed = FIXED.get(path);
    if (fixed != null) {
      return new OipPath(fixed, "", "");
    }
    List<String> parts = Arrays.asList(path.split("/", -1));
    if (parts.size() < 4) {
      throw notFound();
    }
    List<String> rest = parts.subList(3, parts.size());
    return switch (parts.get(2)) {
      case "models" -> ofModel(parts.get(1), rest);
      case "repository" -> ofRepository(parts.get(1), rest);
      case "systemsharedmemory" -> ofRegion(parts.get(1), rest, SYSTEM);
      case "cudasharedmemory" -> ofRegion(parts.get(1), rest, CUDA);
      default -> throw notFound();
    };
  }

  /** Resources whose path names nothing, by that path. */
  private static final Map<String, Resource> FIXED =
      Arrays.stream(Resource.values())
          .filter(resource -> !resource.path().contains("{"))
          .collect(Collectors.toUnmodifiableMap(Resource::path, Function.identity()));

  private static final Map<String, Resource> SYSTEM =
      Map.of(
          "status", Resource.SHARED_STATUS,
          "register", Resource.SHARED_REGISTER,
          "unregister", Resource.SHARED_UNREGISTER);

  private static final Map<String, Resource> CUDA =
      Map.of(
          "status", Resource.CUDA_STATUS,
          "register", Resource.CUDA_REGISTER,
          "unregister", Resource.CUDA_UNREGISTER);

  /** Returns the operation on one region; those on all have fixed paths. */
  private static OipPath ofRegion(
      String root, List<String> parts, Map<String, Resource> resources) {
    Resource resource = resources.get(parts.getLast());
    boolean named = parts.size() == 3 && parts.getFirst().equals("region");
    if (!root.equals("v2") || !named || resource == null) {
      throw notFound();
    }
    return new OipPath(resource, PercentCoding.decode(parts.get(1)), "");
  }

  /** Parses a path below a repository, which may be named as in Triton, but is not known. */
  private static OipPath ofRepository(String root, List<String> parts) {
    boolean named = !parts.getFirst().equals("models") && parts.size() > 1;
    OipPath path = inRepository(named ? parts.subList(1, parts.size()) : parts);
    if (!root.equals("v2")) {
      throw notFound();
    }
    if (named) {
      throw new InferenceException(ErrorCode.UNIMPLEMENTED, LoadParameters.NO_REPOSITORY_NAME);
    }
    return path;
  }

  private static OipPath inRepository(List<String> parts) {
    if (parts.equals(List.of("index"))) {
      return new OipPath(Resource.INDEX, "", "");
    }
    if (parts.size() != 3 || !parts.getFirst().equals("models")) {
      throw notFound();
    }
    String model = PercentCoding.decode(parts.get(1));
    return switch (parts.get(2)) {
      case "load" -> new OipPath(Resource.LOAD, model, "");
      case "unload" -> new OipPath(Resource.UNLOAD, model, "");
      default -> throw notFound();
    };
  }

  private static OipPath ofModel(String root, List<String> parts) {
    boolean versioned = parts.size() > 2 && parts.get(1).equals("versions");
    List<String> rest = parts.subList(versioned ? 3 : 1, parts.size());
    boolean tracing = !versioned && rest.equals(List.of("trace", "setting"));
    Resource resource = tracing ? Resource.MODEL_TRACING : resource(rest);
    if (!root.equals("v2") || (versioned && !isNumber(parts.get(2)))) {
      throw notFound();
    }
    String name = PercentCoding.decode(parts.getFirst());
    if (name.isEmpty()) {
      throw InferenceException.invalid("the path names no model: its name is empty");
    }
    return new OipPath(resource, name, versioned ? parts.get(2) : "");
  }

  private static Resource resource(List<String> rest) {
    if (rest.isEmpty()) {
      return Resource.MODEL;
    }
    if (rest.size() > 1) {
      throw notFound();
    }
    return switch (rest.getFirst()) {
      case "infer" -> Resource.INFER;
      case "generate" -> Resource.GENERATE;
      case "generate_stream", "infer_stream" -> Resource.GENERATE_STREAM;
      case "ready" -> Resource.MODEL_READY;
      case "config" -> Resource.MODEL_CONFIG;
      case "stats" -> Resource.MODEL_STATISTICS;
      default -> throw notFound();
    };
  }

  private static boolean isNumber(String version) {
    for (int i = 0; i < version.length(); i++) {
      if (version.charAt(i) < '0' || version.charAt(i) > '9') {
        return false;
      }
    }
    return !version.isEmpty();
  }

  /** Returns the path with {@code {model}}, {@code {version}} or {@code {region}} for each name. */
  String template() {
    String shortest = resource.path();
    if (!version.isEmpty()) {
      return shortest.replace("{model}", "{model}/versions/{version}");
    }
    if (model.isEmpty() || shortest.contains("{")) {
      return shortest;
    }
    int last = shortest.lastIndexOf('/');
    return shortest.substring(0, last) + "/region/{region}" + shortest.substring(last);
  }

  /** Decides whether the caller may have it. */
  void requireFor(HttpExchange exchange) {
    if (model.isEmpty() || !resource.operation().ofModel()) {
      exchange.require(resource.operation());
    } else {
      exchange.require(resource.operation(), model);
    }
  }

  /**
   * Returns the selector of the model version.
   *
   * @throws InferenceException with NOT_FOUND if no version can have such a number
   */
  ModelSelector selector() {
    if (version.isEmpty()) {
      return new ModelSelector.Latest(model);
    }
    try {
      return new ModelSelector.Version(model, Long.parseLong(version));
    } catch (NumberFormatException e) {
      throw new InferenceException(
          ErrorCode.NOT_FOUND,
          "Request for unknown model: '"
              + Excerpt.of(model)
              + "' version "
              + Excerpt.of(version)
              + " is not found");
    }
  }

  private static InferenceException notFound() {
    return new InferenceException(ErrorCode.NOT_FOUND, "Not Found");
  }
}
