package dev.sluice.config.server;

import dev.sluice.config.binding.Section;
import java.util.Optional;

/**
 * Settings of KServe's protocol: the attributes of the CloudEvents that answer CloudEvents.
 *
 * @param eventType attribute {@code type} of CloudEvents that answer CloudEvents
 * @param eventSource attribute {@code source} of these; empty: {@code io.kserve.inference.} and the
 *     model's name
 * @param eventMerge whether these repeat the request's other attributes
 */
public record KserveConfig(String eventType, Optional<String> eventSource, boolean eventMerge) {
  public static final KserveConfig DEFAULT =
      new KserveConfig("io.kserve.inference.response", Optional.empty(), false);

  /** Reads the settings of KServe. */
  public static KserveConfig read(Section kserve) {
    return new KserveConfig(
        kserve.text("event_type", DEFAULT.eventType),
        kserve.text("event_source"),
        kserve.flag("event_merge", DEFAULT.eventMerge));
  }
}
