package dev.sluice.config.otlp;

import dev.sluice.config.binding.Section;
import java.util.List;

/**
 * What the server tells of single requests: spans by OpenTelemetry, and {@code Server-Timing}.
 *
 * @param serverTiming answers that tell how long each stage took, in {@code Server-Timing}: those
 *     to requests with {@code x-server-timing: 1}, all, or none
 * @param collector where spans are sent
 * @param samplingRatio part of the requests that have spans, 0 to 1
 * @param parentBased whether a caller that sends the context of a span (W3C, B3, brpc) decides by
 *     it whether its requests have spans, instead of the ratio
 * @param serviceName name of the server in spans, and in metrics that are exported
 * @param resource further attributes of the server in both, each {@code name=value}
 */
public record TracingConfig(
    Timing serverTiming,
    CollectorConfig collector,
    double samplingRatio,
    boolean parentBased,
    String serviceName,
    List<String> resource) {
  /** The answers that tell their times. */
  public enum Timing {
    OFF,
    REQUESTED,
    ALWAYS
  }

  public static final TracingConfig DEFAULT = new TracingConfig(Timing.REQUESTED);

  public TracingConfig {
    resource = List.copyOf(resource);
  }

  /** Without spans. */
  public TracingConfig(Timing serverTiming) {
    this(serverTiming, CollectorConfig.NONE, 1, true, "sluice", List.of());
  }

  /** Reads the settings of traces. */
  public static TracingConfig read(Section tracing) {
    return new TracingConfig(
        tracing.choice("server_timing", DEFAULT.serverTiming),
        CollectorConfig.read(tracing),
        tracing.decimal("sampling_ratio", DEFAULT.samplingRatio, 0, 1),
        tracing.flag("parent_based", DEFAULT.parentBased),
        tracing.text("service_name", DEFAULT.serviceName),
        tracing.list("resource", DEFAULT.resource, CollectorConfig::pair));
  }
}
