package dev.sluice.scheduling.caching;

import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.scheduling.Scheduler;
import dev.sluice.telemetry.meter.VersionMeter;
import io.vertx.core.Future;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Answers from the cache what was answered before; all else goes on to the scheduler behind, and
 * its answer is kept.
 */
public final class CachingScheduler implements Scheduler {
  private final ResponseCache cache;
  private final long load;
  private final Supplier<List<Long>> members;
  private final boolean heedsParameters;
  private final Scheduler behind;
  private final VersionMeter meter;
  private final LongSupplier nanoTime;
  private volatile boolean closed;

  CachingScheduler(
      ResponseCache cache,
      long load,
      Supplier<List<Long>> members,
      boolean heedsParameters,
      Scheduler behind,
      VersionMeter meter,
      LongSupplier nanoTime) {
    this.cache = cache;
    this.load = load;
    this.members = members;
    this.heedsParameters = heedsParameters;
    this.behind = behind;
    this.meter = meter;
    this.nanoTime = nanoTime;
  }

  @Override
  public Future<InferenceResponse> submit(InferenceRequest request) {
    long begun = nanoTime.getAsLong();
    RequestKey key = RequestKey.of(load, members.get(), heedsParameters, request);
    if (key == null) {
      return behind.submit(request);
    }
    CachedResponse kept = find(key);
    long looked = nanoTime.getAsLong() - begun;
    if (kept == null) {
      return behind.submit(request).map(response -> keep(key, response, looked));
    }
    InferenceResponse response = answer(request, kept);
    meter.cacheHit(looked, nanoTime.getAsLong() - begun);
    return Future.succeededFuture(response);
  }

  /** An answer with all outputs serves who wants some of them, too. */
  private @Nullable CachedResponse find(RequestKey key) {
    CachedResponse kept = cache.find(key);
    RequestKey whole = kept == null ? key.ofAllOutputs() : null;
    return whole == null ? kept : cache.find(whole);
  }

  private static InferenceResponse answer(InferenceRequest request, CachedResponse kept) {
    try {
      return kept.answer(request);
    } finally {
      kept.release();
      request.close();
    }
  }

  /**
   * Caches a response; one with parameters beside its tensors is not cached, nor one that was
   * computed while a member of the ensemble changed.
   */
  private InferenceResponse keep(RequestKey key, InferenceResponse response, long looked) {
    long begun = nanoTime.getAsLong();
    if (response.parameters().isEmpty() && key.isOf(members.get())) {
      cache.keep(key, response);
      clearIfClosed();
    }
    meter.cacheMiss(looked + nanoTime.getAsLong() - begun);
    return response;
  }

  /**
   * Frees what was cached too late for {@link #close}: a request releases its model before its
   * answer arrives here. Whichever of the two comes second sees the other.
   */
  private void clearIfClosed() {
    if (closed) {
      cache.clear(load);
    }
  }

  /** Closes the scheduler and frees what is cached; nothing is cached from then on. */
  @Override
  public void close() {
    behind.close();
    closed = true;
    cache.clear(load);
  }
}
