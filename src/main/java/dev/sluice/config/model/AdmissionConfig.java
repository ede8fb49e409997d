package dev.sluice.config.model;

import dev.sluice.config.binding.Section;
import java.time.Duration;

/**
 * Admission control: when a model rejects requests before its queue is full.
 *
 * @param adaptive whether requests are rejected early while more arrive than the model can run
 * @param targetWait queue time of admitted requests during an overload
 * @param burst time within which a burst is answered; a queue that grows for longer is an overload
 */
public record AdmissionConfig(boolean adaptive, Duration targetWait, Duration burst) {
  public static final AdmissionConfig DEFAULT =
      new AdmissionConfig(true, Duration.ofMillis(8), Duration.ofSeconds(10));

  static AdmissionConfig read(Section admission, AdmissionConfig defaults) {
    return new AdmissionConfig(
        admission.flag("adaptive", defaults.adaptive),
        admission.duration("target_wait", defaults.targetWait),
        admission.duration("burst", defaults.burst));
  }
}
