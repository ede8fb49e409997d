package dev.sluice.config;

import java.time.Duration;

/**
 * How versions are loaded and replaced.
 *
 * @param threads versions that may load at once; 0: one per core, but two at least
 * @param retries how often a load that failed is tried again before the version is given up
 * @param retryInterval how long after the failure
 * @param transition what goes first when a version replaces another
 * @param reread whether a version that takes requests is loaded anew when its files have changed
 */
public record LoadingConfig(
    int threads, int retries, Duration retryInterval, Transition transition, boolean reread) {
  /** What goes first when a version replaces another. */
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

  /** Returns the same settings, loading anew what serves when its files have changed. */
  public LoadingConfig rereading() {
    return new LoadingConfig(threads, retries, retryInterval, transition, true);
  }
}
