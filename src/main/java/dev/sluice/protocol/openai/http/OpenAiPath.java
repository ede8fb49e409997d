package dev.sluice.protocol.openai.http;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.access.Operation;
import dev.sluice.transport.http.HttpExchange;
import dev.sluice.transport.http.PercentCoding;
import java.util.List;

/**
 * A parsed path of the interface.
 *
 * @param resource what is asked for
 * @param model the name of the model; empty if the path names none
 */
record OpenAiPath(Resource resource, String model) {
  /** Where KServe has the interface too; nothing else is there. */
  static final String PREFIX = "/openai/v1";

  /** The paths that are not those of V1, by what follows {@code /v1}. */
  static final List<String> OWN =
      List.of(Resource.COMPLETIONS.path, Resource.CHAT_COMPLETIONS.path);

  /** The resource of a path, and its method. */
  enum Resource {
    COMPLETIONS(Operation.INFER, "POST", "/completions"),
    CHAT_COMPLETIONS(Operation.INFER, "POST", "/chat/completions"),
    MODELS(Operation.REPOSITORY_INDEX, "GET", "/models"),
    MODEL(Operation.MODEL_METADATA, "GET", "/models/{model}");

    private final Operation operation;
    private final String method;
    private final String path;

    Resource(Operation operation, String method, String path) {
      this.operation = operation;
      this.method = method;
      this.path = path;
    }

    /** Returns the operation that the caller needs the right to. */
    Operation operation() {
      return operation;
    }

    /** Returns the HTTP method by which it is asked for. */
    String method() {
      return method;
    }

    /** Returns its path below {@code /v1}, with {@code {model}} for a model's name. */
    String path() {
      return path;
    }
  }

  /**
   * Reads a path.
   *
   * @param path as it was sent
   * @throws InferenceException NOT_FOUND if nothing is there
   */
  static OpenAiPath of(String path) {
    int prefix = path.startsWith("/openai/") ? PREFIX.length() : "/v1".length();
    String rest = path.substring(Math.min(prefix, path.length()));
    for (Resource resource : Resource.values()) {
      if (rest.equals(resource.path) && resource != Resource.MODEL) {
        return new OpenAiPath(resource, "");
      }
    }
    String models = Resource.MODELS.path + "/";
    if (rest.startsWith(models) && rest.indexOf('/', models.length()) < 0) {
      String model = PercentCoding.decode(rest.substring(models.length()));
      if (!model.isEmpty()) {
        return new OpenAiPath(Resource.MODEL, model);
      }
    }
    throw InferenceException.noPath();
  }

  /** Decides whether the caller may have it. */
  void requireFor(HttpExchange exchange) {
    if (model.isEmpty()) {
      exchange.require(resource.operation());
    } else {
      exchange.require(resource.operation(), model);
    }
  }
}
