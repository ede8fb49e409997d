package dev.sluice.scheduling.deadline;

import org.jspecify.annotations.Nullable;

/**
 * Something with a deadline, linked into a {@link DeadlineWheel} through itself, so that to watch
 * it allocates nothing. Of one event loop.
 */
public abstract class DeadlineEntry {
  @Nullable DeadlineEntry earlier;
  @Nullable DeadlineEntry later;
  int slot = DeadlineWheel.IN_NO_SLOT;

  /** True if it was ended before it was watched, or is watched already. */
  boolean over;

  /** Returns the time at which it expires. Does not change while it is watched. */
  protected abstract long expiresNanos();

  /** Expires: it is watched no more. On its event loop. */
  protected abstract void expire();
}
