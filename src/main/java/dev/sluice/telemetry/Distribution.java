package dev.sluice.telemetry;

/** How values are spread over buckets, as the page shows it. */
interface Distribution {
  Buckets buckets();

  /** Values in one bucket alone. */
  long count(int bucket);

  /** All values together. */
  long sum();
}
