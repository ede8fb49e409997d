package dev.sluice.transport.grpc;

import dev.sluice.inference.InferenceException;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Parses the {@code grpc-timeout} header: how long a client says it will wait.
 *
 * <p>Eight digits and a unit from hours to nanoseconds, as the gRPC specification has it; anything
 * else is a client error.
 */
final class GrpcTimeout {
  private static final Pattern FORM = Pattern.compile("(\\d{1,8})([HMSmun])");

  private GrpcTimeout() {}

  /**
   * Reads the header's value.
   *
   * @throws InferenceException with INVALID_ARGUMENT if it is not at most eight digits and a unit
   */
  static Duration read(String header) {
    Matcher parts = FORM.matcher(header);
    if (!parts.matches()) {
      throw InferenceException.invalid(
          "grpc-timeout '" + header + "' is not up to 8 digits and one of H, M, S, m, u, n");
    }
    long amount = Long.parseLong(parts.group(1));
    return switch (parts.group(2)) {
      case "H" -> Duration.ofHours(amount);
      case "M" -> Duration.ofMinutes(amount);
      case "S" -> Duration.ofSeconds(amount);
      case "m" -> Duration.ofMillis(amount);
      case "u" -> Duration.ofNanos(amount * 1_000);
      default -> Duration.ofNanos(amount);
    };
  }
}
