package dev.sluice.serving.control;

import dev.sluice.config.ModelConfigReader;
import dev.sluice.config.model.ListedModel;
import dev.sluice.config.server.ControlConfig;
import dev.sluice.config.server.DesiredModels;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.ModelLookup;
import dev.sluice.inference.ModelProblem;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.access.Caller;
import dev.sluice.inference.access.Operation;
import dev.sluice.inference.control.ControlPlane;
import dev.sluice.inference.control.DesiredModel;
import dev.sluice.inference.control.LoadFailure;
import dev.sluice.inference.control.ModelLoad;
import dev.sluice.inference.control.VersionStatus;
import dev.sluice.inference.health.Liveness;
import dev.sluice.repository.ModelRepository;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The states of the models and of the server, and the operations that change them.
 *
 * <p>Threads: any; the futures complete on the caller's event loop. Control operations need a right
 * and, for load and unload, explicit model control. Load and unload are idempotent, and those on
 * one model follow each other in the order in which they were called.
 */
public final class ModelControl implements ControlPlane {
  private final ModelRepository repository;
  private final LabelCheck labels;
  private final NamedLoads loads;
  private final ControlConfig config;
  private final Liveness liveness;
  private final LoadPolicy policy;
  private volatile boolean online;
  private volatile boolean draining;
  private volatile boolean held;
  private volatile boolean started;

  /**
   * @param settings read those that come with a load
   * @param config who decides which models are served
   * @param online whether the server begins online
   * @param policy from where models may be loaded
   * @param newLabelsMayWait whether a new label may name a version that takes no requests yet
   * @param liveness whether the process can go on serving
   */
  public ModelControl(
      ModelRepository repository,
      ModelConfigReader settings,
      ControlConfig config,
      LoadPolicy policy,
      boolean online,
      boolean newLabelsMayWait,
      Liveness liveness) {
    this.repository = repository;
    this.loads = new NamedLoads(repository, settings, policy);
    this.policy = policy;
    this.config = config;
    this.labels = new LabelCheck(repository, newLabelsMayWait);
    this.online = online;
    this.liveness = liveness;
  }

  @Override
  public List<String> models() {
    return repository.models();
  }

  @Override
  public Optional<List<VersionStatus>> versions(String model) {
    return repository.versions(model);
  }

  @Override
  public Optional<ModelProblem> problem(ModelSelector selector) {
    return repository.find(selector) instanceof ModelLookup.Found(ModelLease model)
        ? model.read(ModelLease::problem)
        : Optional.empty();
  }

  @Override
  public Optional<String> absence(String model) {
    return switch (repository.find(new ModelSelector.Latest(model))) {
      case ModelLookup.Found(ModelLease found) -> found.read(_ -> Optional.empty());
      case ModelLookup.NotReady notReady ->
          Optional.of(notReady.reason()).filter(reason -> !reason.isEmpty());
      case ModelLookup.Missed _ -> Optional.empty();
    };
  }

  /** Returns whether a model's problem is the server's too. */
  private boolean hasProblem(String model) {
    return problem(new ModelSelector.Latest(model)).filter(ModelProblem::ofServer).isPresent();
  }

  @Override
  public List<String> unready() {
    return repository.models().stream()
        .filter(
            model -> (config.strictReadiness() && repository.isUnready(model)) || hasProblem(model))
        .toList();
  }

  @Override
  public Map<String, Long> labels(String model) {
    return repository.labels(model);
  }

  @Override
  public boolean live() {
    return liveness.problem().isEmpty();
  }

  @Override
  public boolean started() {
    if (!started) {
      started = repository.polled() && repository.isReconciled();
    }
    return started;
  }

  @Override
  public boolean ready() {
    return !draining
        && !held
        && (config.strictReadiness() ? repository.allReady() : repository.polled())
        && repository.models().stream().noneMatch(this::hasProblem);
  }

  /** Keeps the server from being ready until {@link #releaseReadiness}, however its models are. */
  public void holdReadiness() {
    held = true;
  }

  /** Leaves it to the models whether the server is ready. */
  public void releaseReadiness() {
    held = false;
  }

  /** Lets readiness fall, so that no new callers are sent here. */
  public void drain() {
    draining = true;
  }

  @Override
  public boolean online() {
    return online && !draining;
  }

  @Override
  public void setOnline(boolean wanted, Caller caller) {
    caller.require(wanted ? Operation.ONLINE : Operation.OFFLINE);
    online = wanted;
  }

  @Override
  public Future<List<LoadFailure>> serve(List<DesiredModel> wanted, Caller caller) {
    try {
      caller.require(Operation.RELOAD);
    } catch (InferenceException e) {
      return Future.failedFuture(e);
    }
    return onCallerContext(serve(wanted, policy::requireNamed));
  }

  /**
   * Replaces all models by those that a file lists. The file's owner decides, not a caller.
   *
   * @return as {@link #serve(List, Caller)}
   */
  public Future<List<LoadFailure>> serveListed(List<DesiredModel> wanted) {
    return serve(wanted, policy::requireListed);
  }

  private Future<List<LoadFailure>> serve(
      List<DesiredModel> wanted, Consumer<Map<String, ListedModel>> check) {
    return repository.serve(before -> {
      Map<String, ListedModel> next = DesiredModelSet.of(wanted, names(before));
      labels.require(next);
      check.accept(next);
      return DesiredModels.only(next);
    });
  }

  @Override
  public Future<List<String>> known() {
    return config.explicit()
        ? onCallerContext(repository.known().map(List::copyOf))
        : Future.succeededFuture(models());
  }

  @Override
  public Future<Void> load(ModelLoad load, Caller caller) {
    return explicitly(Operation.LOAD, load.model(), caller, () -> loads.load(load, caller));
  }

  @Override
  public Future<Void> unload(String model, boolean dependents, Caller caller) {
    return explicitly(Operation.UNLOAD, model, caller, () -> loads.unload(model, dependents));
  }

  private Future<Void> explicitly(
      Operation operation, String model, Caller caller, Supplier<Future<Void>> action) {
    try {
      caller.require(operation, model);
      requireExplicit();
      requireName(model);
    } catch (InferenceException e) {
      return Future.failedFuture(e);
    }
    return onCallerContext(action.get());
  }

  private void requireExplicit() {
    if (!config.explicit()) {
      throw new InferenceException(
          ErrorCode.UNAVAILABLE,
          "explicit model load / unload is not allowed if polling is enabled (setting"
              + " models.control: explicit)");
    }
  }

  private static void requireName(String model) {
    if (model.isEmpty()) {
      throw InferenceException.invalid(
          "Model name cannot be empty. Please enter a valid name to deploy.");
    }
    if (model.contains("/") || model.contains("\\") || model.equals(".") || model.equals("..")) {
      throw InferenceException.invalid(
          "invalid model name '%s', model name must not contain path traversal characters"
              .formatted(model));
    }
  }

  /** Deletes what servers that were killed left of files that came with loads. Blocks. */
  public static void deleteAbandoned() {
    UploadFolder.deleteAbandoned(Path.of(System.getProperty("java.io.tmpdir")), Instant.now());
  }

  /** Deletes the files that came with loads. Blocks. */
  public void close() {
    loads.close();
  }

  /** Returns the result, completed on the caller's event loop if it has one. */
  private static <T> Future<T> onCallerContext(Future<T> outcome) {
    Context callerContext = Vertx.currentContext();
    if (callerContext == null) {
      return outcome;
    }
    Promise<T> completed = Promise.promise();
    outcome.onComplete(
        (value, failure) -> callerContext.runOnContext(_ -> completed.complete(value, failure)));
    return completed.future();
  }

  private Set<String> names(DesiredModels before) {
    Set<String> names = new HashSet<>(before.listed().keySet());
    if (!before.directories().isEmpty()) {
      names.addAll(repository.models());
    }
    return names;
  }
}
