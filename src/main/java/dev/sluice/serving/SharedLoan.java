package dev.sluice.serving;

import dev.sluice.inference.Caller;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.ModelProblem;
import dev.sluice.inference.ServedModel;
import java.util.Optional;

/**
 * A loan that one request has and others use meanwhile: it is that one's to give back.
 *
 * @param loan the real one
 */
record SharedLoan(ServedModel loan) implements ServedModel {
  @Override
  public ModelId id() {
    return loan.id();
  }

  @Override
  public ModelMetadata metadata() {
    return loan.metadata();
  }

  @Override
  public Caller caller() {
    return loan.caller();
  }

  @Override
  public Optional<ModelProblem> problem() {
    return loan.problem();
  }

  @Override
  public void release() {}
}
