package dev.sluice.scheduling.stream;

/** Sums of what readers of streams ask for, in responses. */
public final class Demand {
  /** As good as without end, and two of it are no negative number. */
  private static final long MOST = Long.MAX_VALUE / 2;

  private Demand() {}

  /** Returns two demands together, neither negative. Any thread. */
  public static long sum(long one, long other) {
    return Math.min(MOST, one + Math.min(MOST, other));
  }
}
