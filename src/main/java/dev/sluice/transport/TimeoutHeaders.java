package dev.sluice.transport;

import dev.sluice.inference.Deadline;
import dev.sluice.inference.InferenceException;
import io.vertx.core.http.HttpHeaders;
import java.math.BigDecimal;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads the timeout that a client, or the proxy beside it, sends in a header. Any thread.
 *
 * <p>{@code Request-Timeout} is ours: seconds, or a number with the unit {@code ms}, {@code s} or
 * {@code m}. {@code x-envoy-expected-rq-timeout-ms} is what Envoy adds in service meshes; {@code
 * x-envoy-upstream-rq-timeout-ms} is what clients tell Envoy, and holds without one too.
 */
public final class TimeoutHeaders {
  private static final String NAME = "Request-Timeout";
  private static final CharSequence OURS = HttpHeaders.createOptimized("request-timeout");
  private static final CharSequence ENVOY =
      HttpHeaders.createOptimized("x-envoy-expected-rq-timeout-ms");

  private static final CharSequence ENVOY_UPSTREAM =
      HttpHeaders.createOptimized("x-envoy-upstream-rq-timeout-ms");

  private static final Pattern FORM = Pattern.compile("(\\d{1,8}(?:\\.\\d{1,9})?)(ms|s|m)?");
  private static final Pattern MILLIS = Pattern.compile("\\d{1,11}");

  private static final int MILLI_DIGITS = 6;
  private static final int NANO_DIGITS = 9;
  private static final BigDecimal SECONDS_PER_MINUTE = BigDecimal.valueOf(60);

  /** Characters of a wrong value that the error repeats. */
  private static final int MAX_SHOWN = 40;

  private TimeoutHeaders() {}

  /**
   * Returns the deadline that the request's headers name.
   *
   * @param headers a header's value by its name
   * @throws InferenceException with INVALID_ARGUMENT if our header is not a length of time. The
   *     proxy's is passed over then: it is not the client's doing.
   */
  public static Deadline read(Function<CharSequence, @Nullable String> headers, long nowNanos) {
    return ours(headers.apply(OURS), nowNanos)
        .earlier(envoys(headers.apply(ENVOY), nowNanos))
        .earlier(envoys(headers.apply(ENVOY_UPSTREAM), nowNanos));
  }

  private static Deadline ours(@Nullable String header, long nowNanos) {
    if (header == null) {
      return Deadline.NONE;
    }
    Matcher parts = FORM.matcher(header.strip());
    if (!parts.matches()) {
      throw InferenceException.invalid(
          NAME
              + " '"
              + header.substring(0, Math.min(MAX_SHOWN, header.length()))
              + "' is not a length of time; wanted seconds, or a unit: 2, 0.5, 500ms, 2s or 1m");
    }
    return Deadline.at(nowNanos + nanos(new BigDecimal(parts.group(1)), parts.group(2)));
  }

  private static long nanos(BigDecimal amount, @Nullable String unit) {
    return switch (unit) {
      case "ms" -> amount.movePointRight(MILLI_DIGITS).longValue();
      case "m" -> amount.multiply(SECONDS_PER_MINUTE).movePointRight(NANO_DIGITS).longValue();
      case null, default -> amount.movePointRight(NANO_DIGITS).longValue();
    };
  }

  private static Deadline envoys(@Nullable String header, long nowNanos) {
    // Envoy says 0 for routes without a timeout.
    if (header == null || header.equals("0") || !MILLIS.matcher(header).matches()) {
      return Deadline.NONE;
    }
    return Deadline.at(nowNanos + Long.parseLong(header) * 1_000_000);
  }
}
