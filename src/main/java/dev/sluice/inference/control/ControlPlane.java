package dev.sluice.inference.control;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelProblem;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.access.Caller;
import dev.sluice.inference.access.Operation;
import io.vertx.core.Future;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Control plane: manages models and reports their state. Reading is free; whatever changes the
 * server is a control operation, authorised here by the {@link Caller} and nowhere else.
 *
 * <p>No method blocks; any thread.
 */
public interface ControlPlane {
  /** Returns the names of all models that were found, sorted, whatever their state. */
  List<String> models();

  /** Returns the names among {@link #models} on which the caller has the right to an operation. */
  default List<String> models(Caller caller, Operation operation) {
    return visible(models(), caller, operation);
  }

  /**
   * Returns the models of the list on which the caller may do the operation, in the list's order.
   */
  private static List<String> visible(List<String> models, Caller caller, Operation operation) {
    return models.stream().filter(model -> caller.may(operation, model)).toList();
  }

  /**
   * Returns the versions of one model, ascending; empty if there is no such model.
   *
   * @throws InferenceException with UNAVAILABLE before it is known which models there are
   */
  Optional<List<VersionStatus>> versions(String model);

  /**
   * Returns why the version that a selector means is not ready although it is loaded; empty if it
   * is.
   */
  default Optional<ModelProblem> problem(ModelSelector selector) {
    return Optional.empty();
  }

  /** Returns why a model that is known has no versions; empty if there is no more to say. */
  default Optional<String> absence(String model) {
    return Optional.empty();
  }

  /** Returns the labels of one model and the versions they mean now. */
  Map<String, Long> labels(String model);

  /** Returns whether the process answers at all. */
  boolean live();

  /**
   * Returns whether all models that were there at the start have been loaded or have failed to.
   * Once it is so, it stays so: grps' own servers open no port before. It does not wait until the
   * server is {@link #ready}.
   */
  default boolean started() {
    return live();
  }

  /**
   * Returns whether every version that should take requests does, and the server is not draining.
   */
  boolean ready();

  /**
   * Returns the names of the models for which the server is not {@link #ready}, sorted; none if it
   * is for no model's sake.
   */
  default List<String> unready() {
    return List.of();
  }

  /**
   * Returns whether an operator or load balancer has put the server online; see {@link #setOnline}.
   */
  boolean online();

  /**
   * Takes the server on or off line for load balancers; predictions are served either way.
   * Idempotent. A control operation.
   *
   * @throws InferenceException with PERMISSION_DENIED if the caller's listener does not allow it
   */
  void setOnline(boolean online, Caller caller);

  /**
   * Replaces the models that are served, as one step: new ones load, those left out unload after
   * their last request, versions and labels are as said from then on, and everything else stays as
   * it is. A control operation.
   *
   * <p>Completes once each new model has a version that takes requests or none left that might,
   * with what failed. Fails, and changes nothing, with PERMISSION_DENIED if the caller's listener
   * does not allow it, INVALID_ARGUMENT if the set is wrong in itself, or FAILED_PRECONDITION if a
   * label would name a version that takes no requests.
   */
  Future<List<LoadFailure>> serve(List<DesiredModel> wanted, Caller caller);

  /**
   * Returns the names of all models that could be served, sorted; those of {@link #models} are
   * among them.
   */
  default Future<List<String>> known() {
    return Future.succeededFuture(models());
  }

  /** Returns the names among {@link #known} on which the caller has the right to an operation. */
  default Future<List<String>> known(Caller caller, Operation operation) {
    return known().map(models -> visible(models, caller, operation));
  }

  /**
   * Loads a model as it lies in its folder now, or as the load says, and its members if it is an
   * ensemble. Idempotent: loading the same files again leaves the same version served. A control
   * operation.
   *
   * <p>Completes once every version of it that should be served is. Fails with PERMISSION_DENIED if
   * the caller's listener does not allow it, UNAVAILABLE if the server alone decides what is
   * served, or INVALID_ARGUMENT if there is no such model or it does not load; what took requests
   * before goes on doing so.
   */
  Future<Void> load(ModelLoad load, Caller caller);

  /**
   * Unloads a model. Idempotent: one that is not served stays so. A control operation.
   *
   * <p>Completes when unloading has begun: requests under way are finished. Fails with
   * PERMISSION_DENIED or UNAVAILABLE, as {@link #load} does.
   *
   * @param dependents whether the models go too that it is composed of, unless another one is, or
   *     they were loaded by name
   */
  Future<Void> unload(String model, boolean dependents, Caller caller);
}
