package dev.sluice.config;

/** The answers that carry a load report. */
public enum LoadReports {
  OFF,
  REQUESTED,
  ALWAYS
}
