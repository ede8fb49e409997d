package dev.sluice.boot;

import dev.sluice.config.ConfigException;
import dev.sluice.config.ListedModel;
import dev.sluice.config.WantedModels;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Tells one model in a folder from a folder of models. */
final class MountedModels {
  /** What lies directly in the folder of one model: its files, its settings, its versions. */
  private static final Pattern PART =
      Pattern.compile(
          "[^.].*\\.onnx|saved_model\\.pb(txt)?|model\\.savedmodel|model\\.yml|config\\.pbtxt|\\d+");

  private MountedModels() {}

  /**
   * The model of this name, or several that are named as their folders are. A folder that is empty,
   * or not there yet, is one model: it is looked for until it is there.
   *
   * @throws ConfigException if the folder cannot be read, or the name is blank
   */
  static WantedModels in(Path folder, String name) {
    if (name.isBlank()) {
      throw new ConfigException("--model_name is empty; wanted the model's name");
    }
    return holdsModels(folder)
        ? new WantedModels(folder, Map.of())
        : WantedModels.only(Map.of(name, ListedModel.in(folder.toAbsolutePath())));
  }

  private static boolean holdsModels(Path folder) {
    List<Path> children = children(folder);
    return children.stream().noneMatch(MountedModels::isPartOfModel)
        && children.stream().anyMatch(Files::isDirectory);
  }

  private static boolean isPartOfModel(Path child) {
    return PART.matcher(String.valueOf(child.getFileName())).matches();
  }

  private static List<Path> children(Path folder) {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> children = Files.list(folder)) {
      return children.toList();
    } catch (IOException e) {
      throw new ConfigException("--model_dir " + folder + " cannot be read: " + e);
    }
  }
}
