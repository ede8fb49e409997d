package dev.sluice.scheduling.queue;

import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Chooses which streams give back the memory of their caches to one of a higher level that waits
 * for it: those of the lowest level first, and of one level those that came last. For the holder of
 * the queue.
 *
 * <p>It comes to an end, although a stream may be preempted any number of times. What a stream
 * gives up goes to a higher level, never to its own or a lower one, so no two take turns in
 * preempting each other; and only a stream that has sent a message since it was let in may be
 * preempted again, so each time it gets nearer to its end. As long as higher levels have streams it
 * waits: that is what levels mean.
 */
final class Preemption {
  /** The last level first, and in it those that came last. */
  private static final Comparator<Map.Entry<CacheHolder, Integer>> VICTIMS_FIRST =
      Map.Entry.<CacheHolder, Integer>comparingByValue()
          .thenComparingLong(entry -> entry.getKey().sinceNanos())
          .reversed();

  /** Streams that may be preempted, with their levels. */
  private final Map<CacheHolder, Integer> running = new HashMap<>();

  /** Of {@link #running}, how many bytes those of each level have reserved. */
  private final long[] bytes;

  /** Victims that have not given anything back yet. */
  private final Set<CacheHolder> yielding = new HashSet<>();

  private long yieldingBytes;

  Preemption(int levels) {
    this.bytes = new long[levels];
  }

  /** Lets a stream that has reserved memory be preempted from now on. */
  void add(CacheHolder stream, int level) {
    running.put(stream, level);
    bytes[level] += stream.cacheBytes();
  }

  /** Forgets a stream that has given its memory back. */
  void remove(CacheHolder stream) {
    forget(stream);
    if (yielding.remove(stream)) {
      yieldingBytes -= stream.cacheBytes();
    }
  }

  private void forget(CacheHolder stream) {
    Integer level = running.remove(stream);
    if (level != null) {
      bytes[level] -= stream.cacheBytes();
    }
  }

  /**
   * Has streams of lower levels preempted, if they have enough. None is where others are about to
   * give back what is missing.
   *
   * @param missing bytes for the first stream of a level
   */
  void makeRoom(long missing, int level) {
    long wanted = missing - yieldingBytes;
    if (wanted <= 0 || wanted > bytesBelow(level)) {
      return;
    }
    for (CacheHolder victim : victims(level)) {
      if (wanted <= 0) {
        return;
      }
      wanted -= victim.cacheBytes();
      yieldingBytes += victim.cacheBytes();
      yielding.add(victim);
      forget(victim);
      victim.preempt();
    }
  }

  private long bytesBelow(int level) {
    long sum = 0;
    for (int i = level + 1; i < bytes.length; i++) {
      sum += bytes[i];
    }
    return sum;
  }

  private List<CacheHolder> victims(int level) {
    return running.entrySet().stream()
        .filter(entry -> entry.getValue() > level)
        .sorted(VICTIMS_FIRST)
        .map(Map.Entry::getKey)
        .toList();
  }
}
