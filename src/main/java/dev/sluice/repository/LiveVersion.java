package dev.sluice.repository;

import dev.sluice.inference.ModelConfiguration;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.ModelProblem;
import dev.sluice.inference.tokens.ModelTokenizer;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * One loaded version with its reference count. The repository holds one lease itself as long as the
 * version should take requests; when that and all others are back, the model is closed.
 *
 * <p>Any thread; no locks.
 */
public final class LiveVersion implements ModelLease {
  private final ModelId id;
  private final long load;
  private final LoadedModel loaded;
  private final Consumer<LiveVersion> whenReturned;
  private final AtomicInteger leases = new AtomicInteger(1);

  /**
   * @param load number of the load, unique among all versions
   * @param whenReturned called once, on the thread that released the last lease, often an event
   *     loop: must not block
   */
  LiveVersion(ModelId id, long load, LoadedModel loaded, Consumer<LiveVersion> whenReturned) {
    this.id = id;
    this.load = load;
    this.loaded = loaded;
    this.whenReturned = whenReturned;
  }

  /** Acquires a lease; false if the last one has been released already. */
  boolean acquire() {
    int seen = leases.get();
    while (seen > 0) {
      if (leases.compareAndSet(seen, seen + 1)) {
        return true;
      }
      seen = leases.get();
    }
    return false;
  }

  @Override
  public LiveVersion again() {
    leases.incrementAndGet();
    return this;
  }

  @Override
  public ModelId id() {
    return id;
  }

  /** Returns the number of this load among all loads. */
  public long load() {
    return load;
  }

  @Override
  public ModelMetadata metadata() {
    return loaded.metadata();
  }

  @Override
  public ModelConfiguration configuration() {
    return loaded.configuration();
  }

  @Override
  public Optional<ModelTokenizer> tokenizer() {
    return loaded.tokenizer();
  }

  @Override
  public Optional<ModelProblem> problem() {
    return loaded.problem();
  }

  /** Returns the model that the {@link Loader} made. Open as long as the lease is held. */
  public LoadedModel loaded() {
    return loaded;
  }

  @Override
  public void release() {
    int left = leases.decrementAndGet();
    if (left == 0) {
      whenReturned.accept(this);
    } else if (left < 0) {
      throw new IllegalStateException(id + " was released more often than it was acquired");
    }
  }
}
