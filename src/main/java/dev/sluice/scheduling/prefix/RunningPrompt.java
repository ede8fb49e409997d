package dev.sluice.scheduling.prefix;

import java.util.Arrays;

/**
 * A prompt that is being computed, as those see it that begin with the same tokens. For the holder
 * of the cache.
 */
final class RunningPrompt {
  /**
   * Tokens that others wait for beyond those that they begin with: about as many as run between two
   * decode steps, so that a short prompt does not wait for all of a long one.
   */
  private static final int MOST_LONGER = 256;

  private final PrefixScope scope;
  private final long[] tokens;
  private final int level;
  private final int chunk;

  /** Tokens whose caches it has. */
  private int computed;

  /** Up to which token it has left what it could. */
  private int left;

  /** The fewest tokens that any prompt waits for. */
  private int wanted = Integer.MAX_VALUE;

  /** Whether there was no room for what it could leave. */
  private boolean leavesNothing;

  /**
   * @param tokens not changed any more
   * @param level of priority, the highest being 0
   * @param chunk tokens that run at once
   * @param computed tokens that are kept already
   */
  RunningPrompt(PrefixScope scope, long[] tokens, int level, int chunk, int computed) {
    this.scope = scope;
    this.tokens = tokens;
    this.level = level;
    this.chunk = chunk;
    this.computed = computed;
  }

  /** Returns how many first tokens a prompt of a level could take over from it; 0: none. */
  int offers(PrefixScope other, long[] prompt, int otherLevel) {
    if (leavesNothing || level > otherLevel || !scope.equals(other)) {
      return 0;
    }
    int mismatch = Arrays.mismatch(tokens, prompt);
    return Math.min(mismatch < 0 ? prompt.length : mismatch, prompt.length - 1);
  }

  /**
   * Returns whether a prompt should wait for so many tokens.
   *
   * @param saved how many of them it would have to compute itself
   */
  boolean isWorthWaitingFor(int count, int saved) {
    int missing = Math.max(1, count - computed);
    long chunks = (missing + chunk - 1L) / chunk;
    long until = Math.min(tokens.length - (long) computed, chunks * chunk);
    return until - saved <= MOST_LONGER;
  }

  /** Records that a prompt waits for so many tokens. */
  void await(int count) {
    wanted = Math.min(wanted, count);
  }

  /**
   * Records how far it is.
   *
   * @return whether others wait for no more than that
   */
  boolean reaches(int count) {
    computed = count;
    return wanted <= count && !leavesNothing;
  }

  /**
   * Records that it has left so many tokens, or could not.
   *
   * @return whether others may have waited for them
   */
  boolean leaves(int count, boolean kept) {
    boolean awaited = kept ? wanted <= count : isAwaited();
    left = count;
    wanted = awaited ? Integer.MAX_VALUE : wanted;
    leavesNothing |= !kept;
    return awaited;
  }

  /** Returns whether it has left so many tokens, or has tried to: it will not do so again. */
  boolean hasLeft(int count) {
    return left >= count || leavesNothing;
  }

  /** Returns whether any prompt waits for it. */
  boolean isAwaited() {
    return wanted != Integer.MAX_VALUE;
  }
}
