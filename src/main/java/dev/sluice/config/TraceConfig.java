package dev.sluice.config;

/**
 * Which V2 requests have their points in time written to the log, until someone changes it.
 *
 * @param timestamps whether V2 requests are traced at the start: their points in time are logged,
 *     until a client changes that
 * @param rate one of so many requests to a model is traced; 0: none
 * @param count number of requests that are traced; -1: no limit
 * @param logFrequency what clients are told of the log frequency; traces are logged at once
 */
public record TraceConfig(boolean timestamps, int rate, int count, int logFrequency) {
  public static final TraceConfig DEFAULT = new TraceConfig(false, 1_000, -1, 0);

  static TraceConfig read(Section trace) {
    return new TraceConfig(
        trace.flag("timestamps", DEFAULT.timestamps),
        trace.number("rate", DEFAULT.rate, 0, Integer.MAX_VALUE),
        trace.number("count", DEFAULT.count, -1, Integer.MAX_VALUE),
        trace.number("log_frequency", DEFAULT.logFrequency, 0, Integer.MAX_VALUE));
  }
}
