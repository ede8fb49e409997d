package dev.sluice.loadtest.report;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Locale;

/** Whether a goal is met. */
public enum Verdict {
  @JsonProperty("yes")
  YES,
  @JsonProperty("no")
  NO,
  /** Processes of the same build differ by more than the goal is away. */
  @JsonProperty("unclear")
  UNCLEAR;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
