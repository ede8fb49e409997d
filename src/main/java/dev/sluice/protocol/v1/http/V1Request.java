package dev.sluice.protocol.v1.http;

import dev.sluice.inference.ModelSelector;
import io.vertx.core.http.HttpMethod;

/** What a path below {@code /v1} stands for. */
public sealed interface V1Request {
  /** The model's own verbs, behind a colon. */
  enum Verb {
    PREDICT,
    EXPLAIN,
    CLASSIFY,
    REGRESS
  }

  /** All models: {@code /v1/models}. */
  record Index() implements V1Request {}

  /** A version or label without a model, such as {@code /v1/models/versions/3}. */
  record Nameless() implements V1Request {}

  /** How a model is: {@code /v1/models/NAME}, {@code …/versions/N}, {@code …/labels/L}. */
  record Status(ModelSelector model) implements V1Request {}

  /** What a model takes and gives: the paths of {@link Status} with {@code /metadata}. */
  record Metadata(ModelSelector model) implements V1Request {}

  /** Asking a model: the paths of {@link Status} with {@code :VERB}. */
  record Call(ModelSelector model, Verb verb) implements V1Request {}

  /** The one method that goes with such a path. */
  default HttpMethod method() {
    return this instanceof Call ? HttpMethod.POST : HttpMethod.GET;
  }
}
