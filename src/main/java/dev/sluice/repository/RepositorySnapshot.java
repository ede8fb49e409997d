package dev.sluice.repository;

import dev.sluice.inference.ModelLookup;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.VersionState;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Immutable snapshot of all models: a request looks everything up in one of these.
 *
 * @param models by name
 * @param names sorted
 * @param complete whether the folders were looked at: what is not here then does not exist
 * @param polled whether the folders were looked at, and the repository is not closing
 * @param unready the models that are not up as they should be; before the first poll unknown
 */
record RepositorySnapshot(
    Map<String, ModelView> models,
    List<String> names,
    boolean complete,
    boolean polled,
    Set<String> unready) {
  /** The reason that is reported for an unknown model before the first poll. */
  static final String NOT_POLLED = "the model folders were not looked at yet";

  /** Nothing is known before the first look at the folders. */
  static final RepositorySnapshot NOT_POLLED_YET =
      new RepositorySnapshot(Map.of(), List.of(), false, false, Set.of());

  /**
   * Returns the models as they are now. Called under the repository's lock.
   *
   * @param complete whether the folders were looked at
   * @param closing whether the repository is closing
   */
  static RepositorySnapshot of(Collection<TrackedModel> models, boolean complete, boolean closing) {
    boolean polled = complete && !closing;
    Map<String, ModelView> views = HashMap.newHashMap(models.size());
    models.forEach(model -> views.put(model.name(), ModelView.of(model)));
    Set<String> unready =
        models.stream()
            .filter(model -> !model.ready())
            .map(TrackedModel::name)
            .collect(Collectors.toUnmodifiableSet());
    return new RepositorySnapshot(
        views, views.keySet().stream().sorted().toList(), complete, polled, unready);
  }

  /** Returns whether everything is up that should be. */
  boolean ready() {
    return polled && unready.isEmpty();
  }

  /** Returns whether the actual state is the desired one: no version is loading or about to. */
  boolean isReconciled() {
    return models.values().stream().allMatch(ModelView::isReconciled);
  }

  @Nullable ModelView model(String name) {
    return models.get(name);
  }

  /** Looks a version up without lending it. */
  ModelLookup find(ModelSelector selector) {
    ModelView model = models.get(selector.name());
    if (model == null) {
      return complete
          ? new ModelLookup.UnknownModel(selector.name())
          : new ModelLookup.NotReady(selector.name(), -1, VersionState.START, NOT_POLLED);
    }
    return switch (selector) {
      case ModelSelector.Latest _ -> model.latest();
      case ModelSelector.Version(_, long version) -> model.version(version);
      case ModelSelector.Label(_, String label) -> model.label(label);
    };
  }
}
