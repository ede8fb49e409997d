package dev.sluice.scheduling.queue;

import org.jspecify.annotations.Nullable;

/**
 * Requests in a row, linked through themselves: nothing is allocated to add one, and any of them
 * can leave at once. A request is in one list at a time. One thread at a time.
 */
public final class PendingRequests {
  private @Nullable PendingRequest first;
  private @Nullable PendingRequest last;

  /** Returns whether no request is linked here. */
  public boolean isEmpty() {
    return first == null;
  }

  /** Returns the request that was added first; null if there is none. */
  public @Nullable PendingRequest first() {
    return first;
  }

  /** Adds a request at the end, in constant time; it must be in no other list. */
  public void addLast(PendingRequest added) {
    added.previous = last;
    added.next = null;
    if (last == null) {
      first = added;
    } else {
      last.next = added;
    }
    last = added;
  }

  /** Adds a step of a stream in front of those at the end that came later than it. */
  void addInOrder(PendingRequest added) {
    PendingRequest before = last;
    while (before != null && added.goesBefore(before)) {
      before = before.previous;
    }
    added.previous = before;
    added.next = before == null ? first : before.next;
    if (before == null) {
      first = added;
    } else {
      before.next = added;
    }
    if (added.next == null) {
      last = added;
    } else {
      added.next.previous = added;
    }
  }

  void remove(PendingRequest removed) {
    if (removed.previous == null) {
      first = removed.next;
    } else {
      removed.previous.next = removed.next;
    }
    if (removed.next == null) {
      last = removed.previous;
    } else {
      removed.next.previous = removed.previous;
    }
    removed.previous = null;
    removed.next = null;
  }

  /** Delivers every answer, all decided, and is empty. On the event loop of all of them. */
  public void deliverAll() {
    for (PendingRequest ready = first; ready != null; ready = first) {
      remove(ready);
      ready.deliver();
    }
  }
}
