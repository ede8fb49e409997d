package dev.sluice.ops.openapi;

import io.vertx.core.json.JsonObject;
import java.util.Optional;

/** A way to ask a model, whose bodies depend on its signatures. */
interface ModelCall {
  /** Returns whether a version can be asked so. */
  boolean fits(DescribedVersion version);

  /** Returns the schema of a request. */
  JsonObject request(DescribedVersion version, DescribedListener listener);

  /** Returns the schema of a response. */
  JsonObject response(DescribedVersion version, DescribedListener listener);

  /** Returns a request that works; empty if it would be too large, or is not known. */
  Optional<JsonObject> example(DescribedVersion version);

  /** Returns the name of the schemas' components, such as {@code Infer}. */
  String name();

  /**
   * Adds what the operation has besides a body of JSON and an answer of JSON.
   *
   * @param operation with both
   */
  default void complete(JsonObject operation) {}
}
