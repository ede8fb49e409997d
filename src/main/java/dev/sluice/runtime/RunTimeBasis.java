package dev.sluice.runtime;

/** What says how long a run takes. */
public enum RunTimeBasis {
  /** The values of inputs, or what is not known: a run may take any time. */
  VALUES,
  /** The bytes of inputs: runs of one size take about the same time, and smaller ones no longer. */
  SIZE,
  /** The bytes of inputs, where all of them have the same number of rows (dimension 0). */
  SIZE_OF_EQUAL_ROWS
}
