package dev.sluice.repository;

import dev.sluice.config.model.EnsembleConfig;
import dev.sluice.config.model.ListedModel;
import dev.sluice.config.model.ModelConfig;
import dev.sluice.config.server.ControlConfig;
import dev.sluice.config.server.DesiredModels;
import dev.sluice.repository.scan.ModelFolder;
import dev.sluice.repository.scan.ModelFolderDetector;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * The models that could be served if someone asked for them by name. Remembers nothing: the folders
 * are looked at each time. Blocks.
 *
 * @param all the models there are
 * @param mounted tells what of them is a folder of models
 * @param settings tell which models an ensemble is composed of
 */
record AvailableModels(DesiredModels all, ModelFolderDetector mounted, ModelSettings settings) {
  /** Returns the names of all models, sorted. */
  Set<String> names() {
    DesiredModels there = mounted.poll(all);
    Set<String> names = new TreeSet<>(there.listed().keySet());
    there.directories().forEach(directory -> names.addAll(folders(directory).keySet()));
    return names;
  }

  /**
   * Returns the model of this name. What is asked for never becomes a path, but is looked for in
   * lists.
   */
  Optional<ListedModel> find(String name) {
    DesiredModels there = mounted.poll(all);
    ListedModel listed = there.listed().get(name);
    return listed != null
        ? Optional.of(listed)
        : there.directories().stream()
            .map(directory -> folders(directory).get(name))
            .filter(folder -> folder != null)
            .findFirst()
            .map(ListedModel::in);
  }

  /** Returns the model folders of a directory; none if it cannot be read. */
  private static Map<String, Path> folders(Path directory) {
    Map<String, Path> folders = new LinkedHashMap<>();
    try {
      ModelFolder.children(directory).stream()
          .filter(Files::isDirectory)
          .forEach(folder -> folders.put(folder.getFileName().toString(), folder));
    } catch (IOException _) {
      return Map.of();
    }
    return folders;
  }

  /** Returns the models that are served at the start. */
  DesiredModels first(Set<String> names) {
    DesiredModels first = DesiredModels.only(Map.of());
    for (String name : names.contains(ControlConfig.ALL) ? names() : names) {
      ListedModel model = find(name).orElseGet(() -> ListedModel.in(missing(name)));
      first = with(first, name, model, _ -> {});
    }
    return first;
  }

  /**
   * Returns the folder that a missing model would have, so that its absence is reported as that of
   * its folder.
   */
  private Path missing(String name) {
    Path directory = all.directories().isEmpty() ? Path.of("") : all.directories().getFirst();
    return directory.resolve(name);
  }

  /**
   * Returns the same models and this one, and what it is composed of if that is not among them yet.
   *
   * @param admit asked about each model that is added besides; what it throws is thrown
   */
  DesiredModels with(DesiredModels before, String name, ListedModel model, Consumer<String> admit) {
    DesiredModels next = before.with(name, model);
    Deque<ListedModel> open = new ArrayDeque<>(List.of(model));
    while (!open.isEmpty()) {
      for (String part : parts(open.pop())) {
        Optional<ListedModel> found =
            next.listed().containsKey(part) ? Optional.empty() : find(part);
        if (found.isPresent()) {
          admit.accept(part);
          next = next.with(part, found.get().asPart());
          open.push(found.get());
        }
      }
    }
    return next;
  }

  /**
   * Returns the same models without this one.
   *
   * @param dependents whether the models go too that it is composed of, unless another one is, or
   *     they were loaded by name
   */
  DesiredModels without(DesiredModels before, String name, boolean dependents) {
    DesiredModels next = before.without(name);
    Deque<ListedModel> removed = new ArrayDeque<>();
    Optional.ofNullable(before.listed().get(name)).ifPresent(removed::push);
    while (dependents && !removed.isEmpty()) {
      for (String part : parts(removed.pop())) {
        ListedModel listed = next.listed().get(part);
        if (listed != null && listed.implied() && !isUsed(next, part)) {
          next = next.without(part);
          removed.push(listed);
        }
      }
    }
    return next;
  }

  private boolean isUsed(DesiredModels models, String part) {
    return models.listed().values().stream().anyMatch(model -> parts(model).contains(part));
  }

  /** Of an ensemble, the models that it is composed of; none if its settings cannot be read. */
  private Set<String> parts(ListedModel model) {
    Set<String> parts = new LinkedHashSet<>();
    try {
      ModelConfig config = model.settings().orElseGet(() -> settings.read(model.folder()));
      config.ensemble().map(EnsembleConfig::steps).stream()
          .flatMap(List::stream)
          .forEach(step -> parts.add(step.model()));
    } catch (RuntimeException _) {
      // the next poll of the folder reports what is wrong with them
    }
    return parts;
  }
}
