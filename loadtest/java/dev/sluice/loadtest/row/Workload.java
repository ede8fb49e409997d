package dev.sluice.loadtest.row;

import dev.sluice.loadtest.report.Row;
import java.util.List;

/** Something to measure that has a goal, or several. */
public interface Workload {
  /** By which it is chosen on the command line. */
  String name();

  /** Returns how many cores the server needs, since one core would hide what is measured. */
  default int serverCores() {
    return 1;
  }

  /**
   * Measures. Takes about a minute, and leaves nothing running.
   *
   * @throws RuntimeException if it cannot be measured here
   */
  List<Row> measure(Lab lab);
}
