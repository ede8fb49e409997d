package dev.sluice.telemetry.access;

/** Receives one entry for each call that has ended. */
@FunctionalInterface
public interface AccessLog {
  /** Takes an entry. On the event loop of the call: never blocks, and drops what does not fit. */
  void log(AccessEntry entry);
}
