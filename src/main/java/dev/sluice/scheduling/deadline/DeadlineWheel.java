package dev.sluice.scheduling.deadline;

import io.vertx.core.Context;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/*
 * How deadlines are watched
 *
 * Slots.     A hashed wheel: a deadline is in the slot of its tick, modulo the number of slots, in a
 *            list that is linked through those who wait. To add and to remove one is a few stores.
 * Turning.   One timer of the event loop, for the next tick whose slot is not empty. It is set anew only
 *            for an earlier tick; one that is no longer needed finds nothing and is not set again. So
 *            requests that are answered long before their deadlines cost one timer for each turn of
 *            the wheel, and an idle event loop sleeps.
 * Precision. A deadline is met within a tick and the millisecond of a timer, if the event loop turns.
 */

/** The deadlines of one event loop. Touched by that event loop alone. */
final class DeadlineWheel {
  static final int IN_NO_SLOT = -1;

  private static final long NANOS_PER_MILLI = 1_000_000;
  private static final long TICK_NANOS = 4 * NANOS_PER_MILLI;

  /** A power of two: the wheel turns once in about four seconds. */
  private static final int SLOTS = 1_024;

  private final Context eventLoop;
  private final LongSupplier nanoTime;
  private final long startNanos;
  private final @Nullable DeadlineEntry[] slots = new DeadlineEntry[SLOTS];
  private final List<DeadlineEntry> due = new ArrayList<>();
  private int size;

  /** The first tick that was not looked at yet. */
  private long nextTick;

  /** For which tick the timer is set; {@link Long#MAX_VALUE} if there is none. */
  private long timerTick = Long.MAX_VALUE;

  private long timer;

  DeadlineWheel(Context eventLoop, LongSupplier nanoTime) {
    this.eventLoop = eventLoop;
    this.nanoTime = nanoTime;
    this.startNanos = nanoTime.getAsLong();
  }

  void add(DeadlineEntry added) {
    long now = nanoTime.getAsLong();
    if (size == 0) {
      nextTick = tick(now);
    }
    long tick = Math.max(tick(added.expiresNanos()) + 1, nextTick);
    link(added, (int) (tick & (SLOTS - 1)));
    size++;
    if (tick < timerTick) {
      setTimer(tick, now);
    }
  }

  void remove(DeadlineEntry removed) {
    if (removed.slot != IN_NO_SLOT) {
      unlink(removed);
      size--;
    }
  }

  private long tick(long nanos) {
    return Math.floorDiv(nanos - startNanos, TICK_NANOS);
  }

  private void link(DeadlineEntry added, int slot) {
    DeadlineEntry first = slots[slot];
    added.slot = slot;
    added.later = first;
    if (first != null) {
      first.earlier = added;
    }
    slots[slot] = added;
  }

  private void unlink(DeadlineEntry removed) {
    if (removed.earlier == null) {
      slots[removed.slot] = removed.later;
    } else {
      removed.earlier.later = removed.later;
    }
    if (removed.later != null) {
      removed.later.earlier = removed.earlier;
    }
    removed.earlier = null;
    removed.later = null;
    removed.slot = IN_NO_SLOT;
  }

  private void setTimer(long tick, long now) {
    if (timerTick != Long.MAX_VALUE) {
      eventLoop.owner().cancelTimer(timer);
    }
    long millis = Math.ceilDiv(startNanos + tick * TICK_NANOS - now, NANOS_PER_MILLI);
    timerTick = tick;
    timer = eventLoop.owner().setTimer(Math.max(1, millis), _ -> turn());
  }

  /** Expires what is due, and sets the timer for what comes next. */
  private void turn() {
    timerTick = Long.MAX_VALUE;
    long now = nanoTime.getAsLong();
    long last = tick(now);
    // One turn visits every slot.
    long from = Math.max(nextTick, last - SLOTS + 1);
    nextTick = last + 1;
    for (long tick = from; tick <= last && size > 0; tick++) {
      takeDue((int) (tick & (SLOTS - 1)), now);
    }
    expireDue();
    if (size > 0 && timerTick == Long.MAX_VALUE) {
      setTimer(nextUsed(), nanoTime.getAsLong());
    }
  }

  /** Expires one entry at a time: what expires may end the waits of others. */
  private void expireDue() {
    for (int i = 0; i < due.size(); i++) {
      DeadlineEntry entry = due.get(i);
      if (!entry.over) {
        entry.over = true;
        entry.expire();
      }
    }
    due.clear();
  }

  private void takeDue(int slot, long now) {
    DeadlineEntry entry = slots[slot];
    while (entry != null) {
      DeadlineEntry following = entry.later;
      if (now - entry.expiresNanos() >= 0) {
        remove(entry);
        due.add(entry);
      }
      entry = following;
    }
  }

  private long nextUsed() {
    for (long tick = nextTick; tick < nextTick + SLOTS; tick++) {
      if (slots[(int) (tick & (SLOTS - 1))] != null) {
        return tick;
      }
    }
    throw new IllegalStateException(size + " deadlines are in no slot");
  }
}
