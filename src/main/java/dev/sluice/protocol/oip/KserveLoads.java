package dev.sluice.protocol.oip;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.access.Caller;
import dev.sluice.inference.access.Operation;
import dev.sluice.inference.control.ControlPlane;
import dev.sluice.inference.control.ModelLoad;
import io.vertx.core.Future;

/**
 * Loading and unloading with the failures of KServe's server: a model that does not load is not
 * ready, and one that is not known cannot be unloaded.
 *
 * @param control loads and unloads
 */
public record KserveLoads(ControlPlane control) {
  /**
   * Loads a model; see {@link ControlPlane#load}. Fails with UNAVAILABLE where it does not load.
   */
  public Future<Void> load(ModelLoad load, Caller caller) {
    return control
        .load(load, caller)
        .recover(failure -> Future.failedFuture(notReady(load.model(), failure)));
  }

  private static Throwable notReady(String model, Throwable failure) {
    ErrorCode code = ErrorCode.of(failure);
    boolean refused = code == ErrorCode.PERMISSION_DENIED || code == ErrorCode.UNAUTHENTICATED;
    return refused || !(failure instanceof InferenceException known)
        ? failure
        : new InferenceException(
            ErrorCode.UNAVAILABLE,
            "Model with name %s is not ready. Error type: %s error msg: %s"
                .formatted(Excerpt.of(model), code, known.getMessage()));
  }

  /** Unloads a model; see {@link ControlPlane#unload}. Fails with NOT_FOUND if there is none. */
  public Future<Void> unload(String model, boolean dependents, Caller caller) {
    return control
        .known(caller, Operation.UNLOAD)
        .compose(known ->
            known.contains(model)
                ? control.unload(model, dependents, caller)
                : Future.failedFuture(unknown(model)));
  }

  private static InferenceException unknown(String model) {
    return new InferenceException(
        ErrorCode.NOT_FOUND, "Model with name " + Excerpt.of(model) + " does not exist.");
  }
}
