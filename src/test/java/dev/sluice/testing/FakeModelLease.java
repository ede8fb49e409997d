package dev.sluice.testing;

import dev.sluice.inference.ModelId;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.access.Caller;
import java.util.concurrent.atomic.AtomicInteger;

/** A model that counts how often it is on loan. */
public final class FakeModelLease implements ModelLease {
  private final ModelId id;
  private final ModelMetadata metadata;
  private final AtomicInteger leases = new AtomicInteger();

  public FakeModelLease(ModelId id, ModelMetadata metadata) {
    this.id = id;
    this.metadata = metadata;
  }

  /** Lends the model once more. */
  public FakeModelLease acquire() {
    leases.incrementAndGet();
    return this;
  }

  /** Lends the model once more, to a caller. */
  public ModelLease acquireFor(Caller caller) {
    acquire();
    return new CallerLease(this, caller);
  }

  private record CallerLease(FakeModelLease model, Caller caller) implements ModelLease {
    @Override
    public ModelId id() {
      return model.id();
    }

    @Override
    public ModelMetadata metadata() {
      return model.metadata();
    }

    @Override
    public ModelLease again() {
      return model.acquireFor(caller);
    }

    @Override
    public void release() {
      model.release();
    }
  }

  /** Loans that were not given back. */
  public int leases() {
    return leases.get();
  }

  @Override
  public ModelId id() {
    return id;
  }

  @Override
  public ModelMetadata metadata() {
    return metadata;
  }

  @Override
  public ModelLease again() {
    return acquire();
  }

  @Override
  public void release() {
    leases.decrementAndGet();
  }
}
