package dev.sluice.repository.scan;

import dev.sluice.config.model.ListedModel;
import dev.sluice.config.server.DesiredModels;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * Tells one model in a mounted folder from a folder of models, at each look anew: it may fill while
 * the server runs. Blocks; any thread.
 */
public final class ModelFolderDetector {
  /**
   * Names that occur directly in the folder of one model: its files, its settings, its versions.
   */
  private static final Pattern PART =
      Pattern.compile(
          "[^.].*\\.onnx|saved_model\\.pb(txt)?|model\\.savedmodel|model\\.yml|config\\.pbtxt|config\\.json|\\d+");

  /** Folders that held models when they were last polled with anything in them. */
  private final Set<Path> ofModels = ConcurrentHashMap.newKeySet();

  /**
   * Returns the same, with the models in a mounted folder in place of the one that it turns out not
   * to be.
   */
  public DesiredModels poll(DesiredModels wanted) {
    DesiredModels seen = wanted;
    for (Map.Entry<String, ListedModel> listed : wanted.listed().entrySet()) {
      ListedModel model = listed.getValue();
      if (model.mounted() && holdsModels(model.folder())) {
        seen = seen.without(listed.getKey()).withDirectory(model.folder());
      }
    }
    return seen;
  }

  /**
   * Returns whether a folder holds models; one that is empty or unreadable is taken for what it was
   * before, at first one model.
   */
  private boolean holdsModels(Path folder) {
    List<Path> children = children(folder);
    if (children.stream().anyMatch(ModelFolderDetector::isPartOfModel)) {
      ofModels.remove(folder);
    } else if (children.stream().anyMatch(Files::isDirectory)) {
      ofModels.add(folder);
    }
    return ofModels.contains(folder);
  }

  private static List<Path> children(Path folder) {
    try {
      return ModelFolder.children(folder);
    } catch (IOException _) {
      // the search for models there reports it
      return List.of();
    }
  }

  private static boolean isPartOfModel(Path child) {
    return PART.matcher(String.valueOf(child.getFileName())).matches();
  }
}
