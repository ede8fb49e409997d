package dev.sluice.transport;

import dev.sluice.telemetry.ServerTiming;
import dev.sluice.telemetry.load.LoadReportFormat;
import dev.sluice.telemetry.load.LoadReporting;
import io.vertx.core.http.HttpHeaders;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Headers by which a caller asks what an answer reports besides its body, and learns it. Any
 * thread.
 *
 * <ul>
 *   <li>How long each stage of the request took: {@code Server-Timing} of the W3C, a header of HTTP
 *       and a trailer of gRPC.
 *   <li>How busy the server is: ORCA's load report, in Envoy's header {@code
 *       endpoint-load-metrics}, or in the trailer {@code endpoint-load-metrics-bin} of gRPC's
 *       proposal A51.
 * </ul>
 */
public final class ReportHeaders {
  /** Name of the header or trailer of an answer. */
  public static final CharSequence TIMES = HttpHeaders.createOptimized("server-timing");

  /** Name of the header or trailer with a load report, which begins with its form. */
  public static final CharSequence LOAD = HttpHeaders.createOptimized("endpoint-load-metrics");

  /** Name of a trailer of gRPC with a load report in its binary form. */
  public static final CharSequence BINARY_LOAD =
      HttpHeaders.createOptimized("endpoint-load-metrics-bin");

  private static final CharSequence LOAD_ASKED =
      HttpHeaders.createOptimized("endpoint-load-metrics-format");

  private static final CharSequence ASKED = HttpHeaders.createOptimized("x-server-timing");

  private ReportHeaders() {}

  /**
   * Returns whether the answer to a request reports its times.
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

  /**
   * Returns the form in which the answer to a request reports how busy the server is; null if it
   * does not, or the caller wants a form that we do not know.
   *
   * @param otherwise the form for a caller who does not ask, if every answer reports it
   * @param headers a header's value by its name
   */
  static @Nullable LoadReportFormat loadFormat(
      LoadReporting setting,
      LoadReportFormat otherwise,
      Function<CharSequence, @Nullable String> headers) {
    if (setting == LoadReporting.OFF) {
      return null;
    }
    String asked = headers.apply(LOAD_ASKED);
    if (asked != null) {
      return LoadReportFormat.of(asked);
    }
    return setting == LoadReporting.ALWAYS ? otherwise : null;
  }

  private static boolean isYes(@Nullable String value) {
    return value != null && (value.equals("1") || value.equalsIgnoreCase("true"));
  }
}
