package dev.sluice.serving.control;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.sluice.config.ModelConfigReader;
import dev.sluice.config.binding.ConfigException;
import dev.sluice.config.model.EnsembleConfig;
import dev.sluice.config.model.ListedModel;
import dev.sluice.config.model.ModelConfig;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.access.Caller;
import dev.sluice.inference.access.Operation;
import dev.sluice.inference.control.LoadFailure;
import dev.sluice.inference.control.ModelLoad;
import dev.sluice.repository.ModelRepository;
import io.vertx.core.Future;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Models that callers load and unload by name, optionally with settings and files of their own,
 * which hold until the model is unloaded. Operations on one model follow each other.
 *
 * <p>Owns the temporary folders that hold such files: each is deleted when its model is unloaded,
 * or was loaded from other files, or failed to load, and all are when the server stops.
 *
 * <p>Any thread. What blocks is done on the repository's workers.
 */
final class NamedLoads {
  private final ModelRepository repository;
  private final ModelConfigReader settings;
  private final LoadPolicy policy;

  /** The last operation on each model that may still be under way. */
  @GuardedBy("this")
  private final Map<String, Future<Void>> last = new HashMap<>();

  /** Models that are served in place of those in the model's folder. */
  @GuardedBy("this")
  private final Map<String, ListedModel> overrides = new HashMap<>();

  /** The temporary folders, by model. */
  @GuardedBy("this")
  private final Map<String, UploadFolder> folders = new HashMap<>();

  NamedLoads(ModelRepository repository, ModelConfigReader settings, LoadPolicy policy) {
    this.policy = policy;
    this.repository = repository;
    this.settings = settings;
  }

  /**
   * Completes when the model is in its desired state; fails with the reason if it is not.
   *
   * @param caller may load this model; others that it is composed of are asked about
   */
  Future<Void> load(ModelLoad load, Caller caller) {
    if (!load.files().isEmpty() && load.config().isEmpty()) {
      return Future.failedFuture(
          InferenceException.invalid(
              "failed to load '%s', files are given without their configuration: wanted the"
                      .formatted(load.model())
                  + " parameter 'config' too"));
    }
    try {
      OverrideFiles.check(load.files().keySet(), policy.uploadedSavedModels());
    } catch (InferenceException e) {
      return Future.failedFuture(e);
    }
    return next(load.model(), new Attempt(load, caller)::make);
  }

  /** Unloads a model; completes when that has begun. Idempotent. */
  Future<Void> unload(String model, boolean dependents) {
    return next(
        model,
        () ->
            repository
                .unload(model, dependents)
                .map(_ -> {
                  forget(model);
                  return null;
                }));
  }

  private synchronized Future<Void> next(String model, Supplier<Future<Void>> operation) {
    Future<Void> before = last.getOrDefault(model, Future.succeededFuture());
    Future<Void> after = before.transform(_ -> operation.get());
    last.put(model, after);
    after.onComplete(_ -> over(model, after));
    return after;
  }

  private synchronized void over(String model, Future<Void> operation) {
    last.remove(model, operation);
  }

  /** One load. Its steps follow each other, on workers. */
  private final class Attempt {
    private final ModelLoad load;
    private final Caller caller;
    private @Nullable UploadFolder folder;
    private @Nullable ListedModel chosen;

    Attempt(ModelLoad load, Caller caller) {
      this.load = load;
      this.caller = caller;
    }

    Future<Void> make() {
      return repository
          .load(load.model(), this::choose, part -> caller.require(Operation.LOAD, part))
          .compose(this::judge)
          .onSuccess(_ -> keep(load.model(), load.config().isPresent() ? chosen : null, folder))
          .onFailure(_ -> deleteIfAny(folder));
    }

    private ListedModel choose(Optional<ListedModel> found) {
      ListedModel model = place(found);
      chosen =
          load.config().map(json -> model.withSettings(read(json, model.folder()))).orElse(model);
      return chosen;
    }

    private ListedModel place(Optional<ListedModel> found) {
      if (!load.files().isEmpty()) {
        UploadFolder written = UploadFolder.write(load.files());
        folder = written;
        return ListedModel.in(written.files());
      }
      return override(load.model())
          .or(() -> found)
          .orElseThrow(() ->
              InferenceException.invalid(
                  "failed to load '%s', failed to poll from model repository: there is no such model"
                      .formatted(load.model())));
    }

    private ModelConfig read(String json, Path modelFolder) {
      try {
        ModelConfig config = settings.readJson(load.model(), json, modelFolder);
        config.ensemble().ifPresent(this::requireMembers);
        return config;
      } catch (ConfigException e) {
        throw InferenceException.invalid(
            "load failed for model '" + load.model() + "': failed to load " + e.getMessage());
      }
    }

    /**
     * Members are asked with the server's rights, so that who may ask an ensemble need not know of
     * them: a caller composes one only of models that the caller may ask, or replace.
     */
    private void requireMembers(EnsembleConfig ensemble) {
      for (EnsembleConfig.Step step : ensemble.steps()) {
        if (!caller.may(Operation.LOAD, step.model())) {
          caller.require(Operation.INFER, step.model());
        }
      }
    }

    private Future<Void> judge(List<LoadFailure> failures) {
      return failures.isEmpty()
          ? Future.succeededFuture()
          : Future.failedFuture(
              InferenceException.invalid(
                  failures.stream()
                      .map(NamedLoads::text)
                      .collect(
                          Collectors.joining(
                              "; ", "load failed for model '" + load.model() + "': ", ""))));
    }
  }

  private static String text(LoadFailure failure) {
    String version =
        failure
            .version()
            .map(number -> "version " + number + " is at UNAVAILABLE state: ")
            .orElse("");
    return version + failure.why().message();
  }

  private synchronized void keep(
      String model, @Nullable ListedModel override, @Nullable UploadFolder folder) {
    if (override != null) {
      overrides.put(model, override);
    }
    if (folder != null) {
      deleteIfAny(folders.put(model, folder));
    }
  }

  private static void deleteIfAny(@Nullable UploadFolder folder) {
    if (folder != null) {
      folder.delete();
    }
  }

  private synchronized Optional<ListedModel> override(String model) {
    return Optional.ofNullable(overrides.get(model));
  }

  /** Files that a session has open stay readable for it. */
  private synchronized void forget(String model) {
    overrides.remove(model);
    deleteIfAny(folders.remove(model));
  }

  /** Deletes what is left. Blocks. */
  synchronized void close() {
    folders.values().forEach(UploadFolder::delete);
    folders.clear();
  }
}
