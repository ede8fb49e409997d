package dev.sluice.repository;

import dev.sluice.config.DesiredModels;
import dev.sluice.config.ListedModel;
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
  private final DesiredModels wanted;
  private final Map<String, ScannedModel> kept;

  VersionScanner(DesiredModels wanted) {
    this(wanted, Map.of());
  }

  /**
   * @param kept models that are not looked at again
   */
  VersionScanner(DesiredModels wanted, Map<String, ScannedModel> kept) {
    this.wanted = wanted;
    this.kept = kept;
  }

  ScanResult scan() {
    var look = new Look();
    boolean complete = true;
    for (Path directory : wanted.directories()) {
      complete &= scanDirectory(directory, look);
    }
    wanted.listed().forEach((name, model) -> lookAtListed(name, model.folder(), look));
    return new ScanResult(complete, look.models, look.unreadable, look.warnings);
  }

  private void lookAtListed(String name, Path folder, Look look) {
    ScannedModel before = kept.get(name);
    if (before == null) {
      look.at(name, folder);
    } else {
      look.models.put(name, before);
    }
  }

  private boolean scanDirectory(Path directory, Look look) {
    try {
      ModelFolder.children(directory).stream()
          .filter(Files::isDirectory)
          .forEach(folder -> subFolder(folder, look));
      return true;
    } catch (IOException e) {
      look.warnings.add("Cannot read the model directory " + directory + ": " + e);
      return false;
    }
  }

  private void subFolder(Path folder, Look look) {
    String name = folder.getFileName().toString();
    ListedModel listed = wanted.listed().get(name);
    Path taken = listed == null ? look.taken.putIfAbsent(name, folder) : listed.folder();
    if (taken == null) {
      look.at(name, folder);
    } else if (!taken.equals(folder)) {
      look.warnings.add(
          "Model %s: both %s and %s are this model; %s is taken"
              .formatted(name, folder, taken, taken));
    }
  }

  private static final class Look {
    final Map<String, Path> taken = new HashMap<>();
    final Map<String, ScannedModel> models = new HashMap<>();
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
