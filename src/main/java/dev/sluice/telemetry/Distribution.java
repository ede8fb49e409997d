package dev.sluice.telemetry;

/** The distribution of values over buckets, as the page shows it. */
interface Distribution {
  Buckets buckets();

  /** Values in one bucket alone. */
  long count(int bucket);

  /** All values together. */
  long sum();
}
