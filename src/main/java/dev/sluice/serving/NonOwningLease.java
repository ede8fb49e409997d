package dev.sluice.serving;

import dev.sluice.inference.ModelId;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.ModelProblem;
import dev.sluice.inference.access.Caller;
import java.util.Optional;

/**
 * A lease that one request holds and others use meanwhile; only the holder releases it.
 *
 * @param lease the real one
 */
record NonOwningLease(ModelLease lease) implements ModelLease {
  @Override
  public ModelId id() {
    return lease.id();
  }

  @Override
  public ModelMetadata metadata() {
    return lease.metadata();
  }

  @Override
  public Caller caller() {
    return lease.caller();
  }

  @Override
  public Optional<ModelProblem> problem() {
    return lease.problem();
  }

  @Override
  public ModelLease again() {
    return lease.again();
  }

  @Override
  public void release() {}
}
