package dev.sluice.repository;

import dev.sluice.inference.Lookup;
import dev.sluice.inference.ModelSelector;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * All models at one moment. Immutable: a request looks everything up in one of these.
 *
 * @param models by name
 * @param names sorted
 * @param looked whether the folders were looked at, and the repository is not closing
 * @param ready whether everything is up that should be
 */
record RepositoryView(
    Map<String, ModelView> models, List<String> names, boolean looked, boolean ready) {
  /** Nothing is known before the first look at the folders. */
  static final RepositoryView NOT_LOOKED_YET =
      new RepositoryView(Map.of(), List.of(), false, false);

  /**
   * The models as they are now. Called under the repository's lock.
   *
   * @param looked whether the folders were looked at, and the repository is not closing
   */
  static RepositoryView of(Collection<TrackedModel> models, boolean looked) {
    Map<String, ModelView> views = HashMap.newHashMap(models.size());
    models.forEach(model -> views.put(model.name(), ModelView.of(model)));
    boolean ready = looked && models.stream().allMatch(TrackedModel::ready);
    return new RepositoryView(views, views.keySet().stream().sorted().toList(), looked, ready);
  }

  /** Whether no version is on its way to take requests. */
  boolean settled() {
    return models.values().stream().allMatch(ModelView::settled);
  }

  @Nullable ModelView model(String name) {
    return models.get(name);
  }

  /** Looks a version up without lending it. */
  Lookup find(ModelSelector selector) {
    ModelView model = models.get(selector.name());
    if (model == null) {
      return new Lookup.UnknownModel(selector.name());
    }
    return switch (selector) {
      case ModelSelector.Latest _ -> model.latest();
      case ModelSelector.Version(_, long version) -> model.version(version);
      case ModelSelector.Label(_, String label) -> model.label(label);
    };
  }
}
