package dev.sluice.serving;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelConfiguration;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.ModelProblem;
import dev.sluice.inference.access.Caller;
import dev.sluice.inference.tokens.ModelTokenizer;
import dev.sluice.repository.LiveVersion;
import java.util.Optional;

/**
 * A lease that counts as a request: releasing it releases its permit too. One thread at a time.
 *
 * <p>Ownership: of the request that it was admitted for; {@link #release} is called once, by the
 * request's close. The permit may be released before the lease, when a run goes on for a caller
 * that was answered.
 */
final class AdmittedLease implements ModelLease {
  private final LiveVersion live;
  private final AdmissionController admission;
  private final Caller caller;
  private boolean holdsPermit = true;

  private AdmittedLease(LiveVersion live, AdmissionController admission, Caller caller) {
    this.caller = caller;
    this.live = live;
    this.admission = admission;
  }

  /**
   * Asks for a permit.
   *
   * @throws InferenceException with RESOURCE_EXHAUSTED if there is none; the lease stays the
   *     caller's
   */
  static AdmittedLease admit(LiveVersion live, Caller caller) {
    AdmissionController admission = ((Servable) live.loaded()).admission();
    admission.admit(live.id());
    return new AdmittedLease(live, admission, caller);
  }

  /**
   * Leases a model once more, for another request of the same caller: with a permit of its own, if
   * the one that is there was admitted.
   *
   * @throws InferenceException with RESOURCE_EXHAUSTED if there is none
   */
  static ModelLease admitAgain(ModelLease lease) {
    return switch (lease) {
      case AdmittedLease admitted ->
          admitted.again().handOver(live -> admit((LiveVersion) live, admitted.caller));
      case NonOwningLease shared -> admitAgain(shared.lease());
      default -> lease.again();
    };
  }

  @Override
  public LiveVersion again() {
    return live.again();
  }

  /** Returns the lease itself. */
  LiveVersion live() {
    return live;
  }

  /**
   * Gives only the permit back: what lasts as long as its reader likes says nothing about how busy
   * the model is, and is bounded otherwise.
   */
  void releasePermit() {
    if (holdsPermit) {
      holdsPermit = false;
      admission.release();
    }
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
  public ModelConfiguration configuration() {
    return live.configuration();
  }

  @Override
  public Caller caller() {
    return caller;
  }

  @Override
  public Optional<ModelTokenizer> tokenizer() {
    return live.tokenizer();
  }

  @Override
  public Optional<ModelProblem> problem() {
    return live.problem();
  }

  @Override
  public void release() {
    releasePermit();
    live.release();
  }
}
