package dev.sluice.transport;

import dev.sluice.telemetry.ServerTiming;
import io.vertx.core.http.HttpHeaders;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Headers by which a caller asks how long each stage of its request took, and learns it: {@code
 * Server-Timing} of the W3C, a header of HTTP and a trailer of gRPC. Any thread.
 */
public final class TimingHeaders {
  /** Name of the header or trailer of an answer. */
  public static final CharSequence NAME = HttpHeaders.createOptimized("server-timing");

  private static final CharSequence ASKED = HttpHeaders.createOptimized("x-server-timing");

  private TimingHeaders() {}

  /**
   * Returns whether the answer to a request tells its times.
   *
   * @param headers a header's value by its name
   */
  static boolean isWanted(ServerTiming setting, Function<CharSequence, @Nullable String> headers) {
    return switch (setting) {
      case OFF -> false;
      case ALWAYS -> true;
      case REQUESTED -> isYes(headers.apply(ASKED));
    };
  }

  private static boolean isYes(@Nullable String value) {
    return value != null && (value.equals("1") || value.equalsIgnoreCase("true"));
  }
}
