package dev.sluice.repository.scan;

import dev.sluice.config.binding.FileProblem;
import dev.sluice.config.model.ListedModel;
import dev.sluice.config.server.DesiredModels;
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
 *
 * @param kept models that are not looked at again
 */
public record VersionScanner(DesiredModels wanted, Map<String, ScannedModel> kept) {
  /** Looks at the folders of all models. Blocks. */
  public ScanResult scan() {
    var poll = new Poll();
    boolean complete = true;
    for (Path directory : wanted.directories()) {
      complete &= scanDirectory(directory, poll);
    }
    wanted.listed().forEach((name, model) -> lookAtListed(name, model.folder(), poll));
    return new ScanResult(complete, poll.models, poll.unreadable, poll.warnings);
  }

  private void lookAtListed(String name, Path folder, Poll poll) {
    ScannedModel before = kept.get(name);
    if (before == null) {
      poll.at(name, folder);
    } else {
      poll.models.put(name, before);
    }
  }

  private boolean scanDirectory(Path directory, Poll poll) {
    try {
      ModelFolder.children(directory).stream()
          .filter(Files::isDirectory)
          .forEach(folder -> subFolder(folder, poll));
      return true;
    } catch (IOException e) {
      poll.warnings.add("The model directory " + directory + " " + FileProblem.of(e));
      return false;
    }
  }

  private void subFolder(Path folder, Poll poll) {
    String name = folder.getFileName().toString();
    ListedModel listed = wanted.listed().get(name);
    Path taken = listed == null ? poll.taken.putIfAbsent(name, folder) : listed.folder();
    if (taken == null) {
      poll.at(name, folder);
    } else if (!taken.equals(folder)) {
      poll.warnings.add(
          "Model %s: both %s and %s are this model; %s is taken"
              .formatted(name, folder, taken, taken));
    }
  }

  private static final class Poll {
    final Map<String, Path> taken = new HashMap<>();
    final Map<String, ScannedModel> models = new HashMap<>();
    final Set<String> unreadable = new HashSet<>();
    final List<String> warnings = new ArrayList<>();

    void at(String name, Path folder) {
      try {
        models.put(name, ModelFolder.poll(name, folder, warnings::add));
      } catch (IOException e) {
        unreadable.add(name);
        warnings.add("Model %s: %s %s".formatted(name, folder, FileProblem.of(e)));
      }
    }
  }
}
