package dev.sluice.repository;

import dev.sluice.config.ListedModel;
import dev.sluice.config.WantedModels;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Sees which models and versions lie on disk. Remembers nothing: what it returns depends on the
 * files alone. Blocks.
 */
final class VersionScanner {
  private final WantedModels wanted;

  VersionScanner(WantedModels wanted) {
    this.wanted = wanted;
  }

  Sightings scan() {
    var look = new Look();
    boolean complete = scanDirectory(look);
    wanted.listed().forEach((name, model) -> look.at(name, model.folder()));
    return new Sightings(complete, look.models, look.unreadable, look.warnings);
  }

  private boolean scanDirectory(Look look) {
    if (!wanted.hasDirectory()) {
      return true;
    }
    try {
      ModelFolder.children(wanted.directory()).stream()
          .filter(Files::isDirectory)
          .forEach(folder -> subFolder(folder, look));
      return true;
    } catch (IOException e) {
      look.warnings.add("Cannot read the model directory " + wanted.directory() + ": " + e);
      return false;
    }
  }

  private void subFolder(Path folder, Look look) {
    String name = folder.getFileName().toString();
    ListedModel listed = wanted.listed().get(name);
    if (listed == null) {
      look.at(name, folder);
    } else if (!listed.folder().equals(folder)) {
      look.warnings.add(
          "Model %s: both %s and %s are this model; %s is taken"
              .formatted(name, folder, listed.folder(), listed.folder()));
    }
  }

  private static final class Look {
    final Map<String, ModelSighting> models = new HashMap<>();
    final Set<String> unreadable = new HashSet<>();
    final List<String> warnings = new ArrayList<>();

    void at(String name, Path folder) {
      try {
        models.put(name, ModelFolder.look(name, folder, warnings::add));
      } catch (IOException e) {
        unreadable.add(name);
        warnings.add("Model %s: cannot read %s: %s".formatted(name, folder, e));
      }
    }
  }
}
