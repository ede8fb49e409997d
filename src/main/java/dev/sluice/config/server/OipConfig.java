package dev.sluice.config.server;

import dev.sluice.config.binding.Section;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * Settings of the Open Inference Protocol.
 *
 * @param serverName name in V2's server metadata; clients made for Triton may look for {@code
 *     triton}
 * @param forwardHttpHeaders regular expression for names of HTTP headers that a request takes as
 *     parameters, so that its model sees them
 * @param forwardGrpcMetadata the same for gRPC metadata
 * @param trace which requests are traced at the start
 * @param latencies in which forms Triton's metrics show latencies
 * @param sharedMemory whether tensors may lie in shared memory
 */
public record OipConfig(
    String serverName,
    Optional<String> forwardHttpHeaders,
    Optional<String> forwardGrpcMetadata,
    TraceConfig trace,
    LatencyMetricsConfig latencies,
    SharedMemoryConfig sharedMemory) {
  public static final OipConfig DEFAULT =
      new OipConfig(
          "sluice",
          Optional.empty(),
          Optional.empty(),
          TraceConfig.DEFAULT,
          LatencyMetricsConfig.DEFAULT,
          SharedMemoryConfig.DEFAULT);

  /** Reads the settings of the Open Inference Protocol. */
  public static OipConfig read(Section oip) {
    return new OipConfig(
        oip.text("server_name", DEFAULT.serverName),
        pattern(oip, "forward_http_headers"),
        pattern(oip, "forward_grpc_metadata"),
        oip.section("trace", TraceConfig::read),
        oip.section("latencies", LatencyMetricsConfig::read),
        oip.section("shared_memory", SharedMemoryConfig::read));
  }

  private static Optional<String> pattern(Section oip, String key) {
    Optional<String> text = oip.text(key);
    text.ifPresent(pattern -> {
      try {
        Pattern.compile(pattern);
      } catch (PatternSyntaxException e) {
        throw oip.error(key, "is no regular expression: " + e.getDescription());
      }
    });
    return text;
  }
}
