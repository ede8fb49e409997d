package dev.sluice.repository;

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
  private final Path directory;
  private final Map<String, Path> named;

  /**
   * @param directory its sub-folders are models; an empty path for none
   * @param named further models and their folders; these win over sub-folders of the same name
   */
  VersionScanner(Path directory, Map<String, Path> named) {
    this.directory = directory;
    this.named = named;
  }

  Sightings scan() {
    var look = new Look();
    boolean complete = scanDirectory(look);
    named.forEach(look::at);
    return new Sightings(complete, look.models, look.unreadable, look.warnings);
  }

  private boolean scanDirectory(Look look) {
    if (directory.toString().isEmpty()) {
      return true;
    }
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
    Path other = named.get(name);
    if (other == null) {
      look.at(name, folder);
    } else if (!other.equals(folder)) {
      look.warnings.add(
          "Model %s: both %s and %s are this model; %s is taken"
              .formatted(name, folder, other, other));
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
