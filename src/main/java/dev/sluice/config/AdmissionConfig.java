package dev.sluice.config;

import java.time.Duration;

/**
 * When a model refuses requests before its queue is full.
 *
 * @param adaptive whether it does at all
 * @param targetWait how long requests should wait at most while there are more than the model can
 *     take; a few runs of the model are always let in, however long they take
 * @param burst how long a burst may last: requests that are answered within this time are accepted,
 *     unless their number has grown for as long
 */
public record AdmissionConfig(boolean adaptive, Duration targetWait, Duration burst) {
  public static final AdmissionConfig DEFAULT =
      new AdmissionConfig(true, Duration.ofMillis(8), Duration.ofSeconds(10));

  /** With the burst of the defaults. */
  public AdmissionConfig(boolean adaptive, Duration targetWait) {
    this(adaptive, targetWait, Duration.ofSeconds(10));
  }

  static AdmissionConfig read(Section admission, AdmissionConfig defaults) {
    return new AdmissionConfig(
        admission.flag("adaptive", defaults.adaptive),
        admission.duration("target_wait", defaults.targetWait),
        admission.duration("burst", defaults.burst));
  }
}
