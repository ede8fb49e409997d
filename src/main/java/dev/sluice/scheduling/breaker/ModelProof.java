package dev.sluice.scheduling.breaker;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelId;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether a model has shown that it works. Any thread.
 *
 * <p>Operators refuse wrong values, and that says nothing against a model that has accepted others.
 * As many refusals as open the breaker, with no run ever answered, speak against the model: they
 * become the server's failures. Every request is still tried, so a caller who sends nothing but
 * wrong values rejects no other caller, and one answer ends it until the model is unloaded.
 */
final class ModelProof {
  private static final Logger LOG = LoggerFactory.getLogger(ModelProof.class);

  private final ModelId model;
  private final int most;
  private final AtomicInteger refusals = new AtomicInteger();
  private volatile boolean proven;

  /**
   * @param most refusals that make the model suspect; 0: none do
   */
  ModelProof(ModelId model, int most) {
    this.model = model;
    this.most = most;
  }

  /** Returns whether it is taken for broken until it answers a request. */
  boolean isSuspect() {
    return !proven && most > 0 && refusals.get() >= most;
  }

  /** Records that a run has answered a request. */
  void answered() {
    if (proven) {
      return;
    }
    boolean suspect = isSuspect();
    proven = true;
    if (suspect) {
      LOG.atInfo().addKeyValue("model", model).log("the model has answered a request");
    }
  }

  /**
   * Records that the model has refused values.
   *
   * @return the error for the caller: the same, or INTERNAL from a model that is suspect
   */
  InferenceException refused(InferenceException why) {
    if (proven || most == 0) {
      return why;
    }
    int refused = refusals.incrementAndGet();
    if (refused < most) {
      return why;
    }
    String text =
        "model '%s' has answered no request since it was loaded, and %d have failed in it, the last"
                .formatted(model, refused)
            + " with: "
            + why.getMessage();
    if (refused == most) {
      LOG.atWarn()
          .addKeyValue("model", model)
          .addKeyValue("reason", text)
          .log("the model is taken for broken until it answers a request");
    }
    return InferenceException.unprovenModel(ErrorCode.INTERNAL, text);
  }
}
