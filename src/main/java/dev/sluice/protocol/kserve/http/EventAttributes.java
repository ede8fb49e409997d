package dev.sluice.protocol.kserve.http;

import java.util.Optional;

/**
 * What the CloudEvents that answer CloudEvents say of themselves.
 *
 * @param type their type
 * @param source their source; empty: {@code io.kserve.inference.} and the model's name
 * @param merge whether the request's other attributes are repeated
 */
public record EventAttributes(String type, Optional<String> source, boolean merge) {
  /** As KServe's own runtimes answer. */
  public static final EventAttributes DEFAULT =
      new EventAttributes("io.kserve.inference.response", Optional.empty(), false);

  String sourceFor(String model) {
    return source.orElse("io.kserve.inference." + model);
  }
}
