package dev.sluice.telemetry.meter;

import java.util.Map;

/** Condition of the sessions of a version. Any thread. */
public interface SessionCondition {
  /**
   * Returns how often one was closed and opened again, since its process had ended or its runs
   * failed, or opened beside a run that does not end.
   */
  long restarts();

  /**
   * Returns the number of bytes of memory, shared memory included, that each process holds which
   * runs a session, by its number; empty if the server's own process runs them. Reads files of the
   * system.
   */
  Map<Long, Long> processes();
}
