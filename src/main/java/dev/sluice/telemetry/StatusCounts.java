package dev.sluice.telemetry;

import dev.sluice.inference.ErrorCode;
import dev.sluice.telemetry.meter.CallMeter;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;

/** The names of the ways in which calls end, which are gRPC's. */
final class StatusCounts {
  private StatusCounts() {}

  /** Returns how often calls ended in each way, without those that never did. */
  static Map<String, Long> counts(Collection<CallMeter> calls) {
    Map<String, Long> counts = new TreeMap<>();
    for (CallMeter meter : calls) {
      counts.merge("OK", meter.successes(), Long::sum);
      for (ErrorCode code : ErrorCode.values()) {
        counts.merge(name(code), meter.failures(code), Long::sum);
      }
    }
    counts.values().removeIf(count -> count == 0);
    return counts;
  }

  private static String name(ErrorCode code) {
    return code == ErrorCode.TOO_LARGE ? ErrorCode.RESOURCE_EXHAUSTED.name() : code.name();
  }
}
