package dev.sluice.scheduling.caching;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.scheduling.Scheduler;
import dev.sluice.telemetry.meter.VersionMeter;
import dev.sluice.tensor.MemoryExhausted;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The answers of all models that want theirs kept, bounded in bytes. Owns what it keeps. Any
 * thread.
 */
public final class ResponseCache {
  private final Cache<RequestKey, CachedResponse> answers;
  private final long largest;
  private final LongSupplier nanoTime;
  private final AtomicLong loads = new AtomicLong();

  /**
   * @param bytes how much to keep at most, over all models
   */
  public ResponseCache(long bytes, LongSupplier nanoTime) {
    this.largest = Math.min(bytes, Integer.MAX_VALUE);
    this.nanoTime = nanoTime;
    this.answers =
        Caffeine.newBuilder()
            .maximumWeight(bytes)
            .weigher((RequestKey key, CachedResponse answer) -> (int) weight(key, answer))
            .executor(Runnable::run)
            .<RequestKey, CachedResponse>removalListener((_, answer, _) -> {
              if (answer != null) {
                answer.release();
              }
            })
            .build();
  }

  private static long weight(RequestKey key, CachedResponse answer) {
    return key.byteSize() + answer.byteSize();
  }

  /**
   * Puts the cache in front of one load of a version.
   *
   * @param meter counts hits and misses
   * @param members of which loads of other models its answers are made, at this moment
   * @param heedsParameters whether its answers depend on parameters of requests: those that have
   *     some are not cached then
   */
  public CachingScheduler before(
      Scheduler scheduler,
      VersionMeter meter,
      Supplier<List<Long>> members,
      boolean heedsParameters) {
    return new CachingScheduler(
        this, loads.incrementAndGet(), members, heedsParameters, scheduler, meter, nanoTime);
  }

  /** Returns the cached response of a key, retained for the caller; null if there is none. */
  @Nullable CachedResponse find(RequestKey key) {
    CachedResponse answer = answers.getIfPresent(key);
    return answer != null && answer.acquire() ? answer : null;
  }

  /** Keeps a copy, if it is not too large and there is memory for it. */
  void keep(RequestKey key, InferenceResponse response) {
    if (key.byteSize() + response.byteSize() > largest) {
      return;
    }
    try {
      answers.put(key, CachedResponse.copyOf(response));
    } catch (MemoryExhausted _) {
      // The answer itself is there and is given.
      return;
    }
  }

  /** Frees everything of one load. */
  void clear(long load) {
    answers.asMap().keySet().removeIf(key -> key.isOf(load));
    answers.cleanUp();
  }
}
