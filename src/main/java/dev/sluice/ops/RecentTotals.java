package dev.sluice.ops;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The totals of models or versions in the last ten seconds, a look a second. Remembers none of what
 * is not there any more.
 *
 * <p>Threads: one adds, any may ask.
 *
 * @param <K> whose they are
 * @param <T> totals since some beginning
 */
final class RecentTotals<K, T> {
  private static final int SECONDS = 10;
  private static final double NANOS_OF_SECOND = 1e9;

  /** A point in time and the totals until then. */
  private record Look<T>(long nanos, T totals) {}

  /**
   * The first and the newest totals.
   *
   * @param seconds from one to the other, more than 0
   */
  record Recent<T>(T first, T newest, double seconds) {}

  private final BiPredicate<T, T> continues;

  @GuardedBy("this")
  private final Map<K, Deque<Look<T>>> looks = new HashMap<>();

  /**
   * @param continues whether totals are of the same beginning as those before
   */
  RecentTotals(BiPredicate<T, T> continues) {
    this.continues = continues;
  }

  /** Records that one more second is over. */
  synchronized void add(long nanos, Map<K, T> totals) {
    looks.keySet().retainAll(totals.keySet());
    totals.forEach((key, now) -> {
      Deque<Look<T>> before = looks.computeIfAbsent(key, _ -> new ArrayDeque<>());
      if (!before.isEmpty() && !continues.test(before.getLast().totals, now)) {
        before.clear();
      }
      before.addLast(new Look<>(nanos, now));
      if (before.size() > SECONDS + 1) {
        before.removeFirst();
      }
    });
  }

  /** Returns those of one; null before two seconds of it were seen. */
  synchronized @Nullable Recent<T> of(K key) {
    Deque<Look<T>> known = looks.get(key);
    if (known == null || known.size() < 2) {
      return null;
    }
    Look<T> first = known.getFirst();
    Look<T> newest = known.getLast();
    double seconds = Math.max(1, newest.nanos - first.nanos) / NANOS_OF_SECOND;
    return new Recent<>(first.totals, newest.totals, seconds);
  }
}
