package dev.sluice.serving;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.ServedModel;
import dev.sluice.repository.LiveVersion;
import dev.sluice.scheduling.admission.Admission.Permit;

/**
 * A loan that counts as a request: who gives it back gives the permit back too.
 *
 * @param live the loan itself
 */
record AdmittedModel(LiveVersion live, Permit permit) implements ServedModel {
  /**
   * Asks for a permit.
   *
   * @throws InferenceException with RESOURCE_EXHAUSTED if there is none; the loan stays the
   *     caller's
   */
  static AdmittedModel admit(LiveVersion live) {
    return new AdmittedModel(live, ((Servable) live.loaded()).door().enter(live.id()));
  }

  @Override
  public ModelId id() {
    return live.id();
  }

  @Override
  public ModelMetadata metadata() {
    return live.metadata();
  }

  @Override
  public void release() {
    permit.close();
    live.release();
  }
}
