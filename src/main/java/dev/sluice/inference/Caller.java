package dev.sluice.inference;

/**
 * Where a request came in, as far as permission depends on it.
 *
 * @param listener the listener's address, for texts
 * @param mayControl whether that listener allows control operations
 */
public record Caller(String listener, boolean mayControl) {}
