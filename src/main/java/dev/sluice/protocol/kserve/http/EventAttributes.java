package dev.sluice.protocol.kserve.http;

import java.util.Optional;

/**
 * The attributes of the CloudEvents that answer CloudEvents.
 *
 * @param type their type
 * @param source their source; empty: {@code io.kserve.inference.} and the model's name
 * @param merge whether the request's other attributes are repeated
 */
public record EventAttributes(String type, Optional<String> source, boolean merge) {
  /** The attributes of KServe's own runtimes. */
  public static final EventAttributes DEFAULT =
      new EventAttributes("io.kserve.inference.response", Optional.empty(), false);

  String sourceFor(String model) {
    return source.orElse("io.kserve.inference." + model);
  }
}
