package dev.sluice.config.server;

import dev.sluice.config.binding.Section;

/**
 * What the server tells of single requests.
 *
 * @param serverTiming answers over HTTP and gRPC that tell how long each stage took, in {@code
 *     Server-Timing}: those to requests with {@code x-server-timing: 1}, all, or none
 */
public record TracingConfig(Timing serverTiming) {
  /** The answers that tell their times. */
  public enum Timing {
    OFF,
    REQUESTED,
    ALWAYS
  }

  public static final TracingConfig DEFAULT = new TracingConfig(Timing.REQUESTED);

  /** Reads the settings of traces. */
  public static TracingConfig read(Section tracing) {
    return new TracingConfig(tracing.choice("server_timing", DEFAULT.serverTiming));
  }
}
