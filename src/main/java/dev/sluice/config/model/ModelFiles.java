package dev.sluice.config.model;

import dev.sluice.config.binding.ConfigException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/**
 * Files that a model's settings name.
 *
 * <p>A name that leads out of the model's folder is rejected: settings may come by the network.
 */
final class ModelFiles {
  private ModelFiles() {}

  /**
   * Returns a file of the model.
   *
   * @param setting which names it, for texts
   * @throws ConfigException if it lies elsewhere: settings may come by the network, and no caller
   *     is to read other files by them
   */
  static Path within(Path modelFolder, String setting, String name) {
    Path file;
    try {
      file = modelFolder.resolve(name).normalize();
    } catch (InvalidPathException e) {
      throw new ConfigException(modelFolder + ": " + setting + " is no file name: " + name);
    }
    if (name.isEmpty() || !file.startsWith(modelFolder.normalize())) {
      throw new ConfigException(
          modelFolder + ": " + setting + " is '" + name + "'; wanted a file in the model's folder");
    }
    return file;
  }
}
