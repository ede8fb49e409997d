package dev.sluice.telemetry.span;

/**
 * When a call reached its stages. Nanoseconds by the clock of calls.
 *
 * @param begun its head was read
 * @param received its body was there
 * @param asked a model was asked; 0 if none was
 * @param answered the caller's event loop had the response; 0 if none came
 * @param encoded the answer was ready to be written
 * @param sent it was written, or never will be
 */
public record SpanStages(
    long begun, long received, long asked, long answered, long encoded, long sent) {}
