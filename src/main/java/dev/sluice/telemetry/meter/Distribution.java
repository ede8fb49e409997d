package dev.sluice.telemetry.meter;

/** The distribution of values over buckets, as the page shows it. */
public interface Distribution {
  /** Returns the upper bounds to which the counts belong. */
  Buckets buckets();

  /** Values in one bucket alone. */
  long count(int bucket);

  /** Returns all values together. */
  long sum();
}
