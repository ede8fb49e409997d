package dev.sluice.config.server;

import dev.sluice.config.binding.Section;
import java.time.Duration;

/**
 * Settings of loading and replacing versions.
 *
 * @param threads versions that load at once; 0: one per core, but at least two
 * @param retries times that a failed load is tried again
 * @param retryInterval time between a failed load and the next try
 * @param transition what goes first when a version replaces another. {@code availability}: the new
 *     one is loaded beside the old one; {@code resources}: the old one is closed first, so that
 *     there is never memory for both
 * @param reread whether a version that serves is loaded again when its files change. A load by name
 *     always reads the files
 */
public record LoadingConfig(
    int threads, int retries, Duration retryInterval, Transition transition, boolean reread) {
  /** The order of load and unload when a version replaces another. */
  public enum Transition {
    /** The new one is loaded beside the old one, which then goes: no request finds none. */
    AVAILABILITY,
    /** The old one is closed before the new one is loaded: never is there memory for both. */
    RESOURCES
  }

  public static final LoadingConfig DEFAULT =
      new LoadingConfig(0, 0, Duration.ofMinutes(1), Transition.AVAILABILITY, false);

  private static final int MOST_THREADS = 1024;
  private static final int MOST_RETRIES = 1_000_000;

  static LoadingConfig read(Section loading) {
    return new LoadingConfig(
        loading.number("threads", DEFAULT.threads, 0, MOST_THREADS),
        loading.number("retries", DEFAULT.retries, 0, MOST_RETRIES),
        loading.duration("retry_interval", DEFAULT.retryInterval),
        loading.choice("transition", DEFAULT.transition),
        loading.flag("reread", DEFAULT.reread));
  }
}
