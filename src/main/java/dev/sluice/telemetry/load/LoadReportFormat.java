package dev.sluice.telemetry.load;

import java.util.Base64;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The forms of a load report in a header or trailer: those that Envoy reads in {@code
 * endpoint-load-metrics}, with their name in front.
 */
public enum LoadReportFormat {
  /** Names and values, as {@code cpu_utilization=0.3, named_metrics.x=1}. */
  TEXT,

  /** The message {@code xds.data.orca.v3.OrcaLoadReport} in protobuf's JSON. */
  JSON,

  /** The message in protobuf's wire format, in base 64. */
  BIN;

  /** Returns the format that a caller names, in any case; null if it is none. */
  public static @Nullable LoadReportFormat of(String name) {
    return switch (name.strip().toUpperCase(Locale.ROOT)) {
      case "TEXT" -> TEXT;
      case "JSON" -> JSON;
      case "BIN" -> BIN;
      default -> null;
    };
  }

  /** Returns a header's value. */
  public String header(LoadReport report) {
    return name() + " " + value(report);
  }

  /** Returns the report without the name of its form. */
  public String value(LoadReport report) {
    return switch (this) {
      case TEXT -> report.text();
      case JSON -> report.json();
      case BIN -> Base64.getEncoder().encodeToString(report.binary());
    };
  }
}
