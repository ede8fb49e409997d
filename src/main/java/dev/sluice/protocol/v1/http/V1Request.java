package dev.sluice.protocol.v1.http;

import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.access.Operation;
import dev.sluice.transport.http.HttpExchange;
import io.vertx.core.http.HttpMethod;

/**
 * A parsed path below {@code /v1}.
 *
 * <p>Sealed: a route that forgets a kind of request does not compile.
 */
public sealed interface V1Request {
  /** The model's own verbs, behind a colon. */
  enum Verb {
    PREDICT,
    EXPLAIN,
    CLASSIFY,
    REGRESS;

    /** Returns the operation that the caller needs the right to. */
    Operation operation() {
      return switch (this) {
        case PREDICT, CLASSIFY, REGRESS -> Operation.INFER;
        case EXPLAIN -> Operation.EXPLAIN;
      };
    }
  }

  /** All models: {@code /v1/models}. */
  record Index() implements V1Request {}

  /** A version or label without a model, such as {@code /v1/models/versions/3}. */
  record Nameless() implements V1Request {}

  /** The status of a model: {@code /v1/models/NAME}, {@code …/versions/N}, {@code …/labels/L}. */
  record Status(ModelSelector model) implements V1Request {}

  /** The signatures of a model: the paths of {@link Status} with {@code /metadata}. */
  record Metadata(ModelSelector model) implements V1Request {}

  /** Asking a model: the paths of {@link Status} with {@code :VERB}. */
  record Call(ModelSelector model, Verb verb) implements V1Request {}

  /** Returns the operation that the caller needs the right to. */
  default Operation operation() {
    return switch (this) {
      case Index _, Nameless _ -> Operation.REPOSITORY_INDEX;
      case Status _, Metadata _ -> Operation.MODEL_METADATA;
      case Call(var _, var verb) -> verb.operation();
    };
  }

  /** Decides whether the caller may have it. */
  default void requireFor(HttpExchange exchange) {
    switch (this) {
      case Index _, Nameless _ -> exchange.require(operation());
      case Status(var model) -> exchange.require(operation(), model.name());
      case Metadata(var model) -> exchange.require(operation(), model.name());
      case Call(var model, var _) -> exchange.require(operation(), model.name());
    }
  }

  /** Returns the one method that goes with such a path. */
  default HttpMethod method() {
    return this instanceof Call ? HttpMethod.POST : HttpMethod.GET;
  }
}
