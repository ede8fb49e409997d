package dev.sluice.config.security;

import dev.sluice.config.binding.Section;
import dev.sluice.config.binding.Setting;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * From where models may be loaded, and which of them may be code.
 *
 * @param roots folders in which paths named by callers ({@code HandleReloadConfigRequest}) must
 *     lie, symbolic links resolved. Empty: the folders that other settings name; if set, the rule
 *     also holds for paths in {@code models.tensorflow_config.file}
 * @param pluginModels models, and folders (with a {@code /}), whose plugin jars are run. Empty:
 *     none, except those of {@code grps.deployment}
 * @param pluginFolders folders in which jars are run, whatever the model
 * @param uploadedSavedModels whether a SavedModel may come with a load request: its operations can
 *     read and write files. Jars never may
 */
public record TrustConfig(
    List<Path> roots,
    Set<String> pluginModels,
    List<Path> pluginFolders,
    boolean uploadedSavedModels) {
  public static final TrustConfig DEFAULT = new TrustConfig(List.of(), Set.of(), List.of(), false);

  public TrustConfig {
    roots = List.copyOf(roots);
    pluginModels = Set.copyOf(pluginModels);
    pluginFolders = List.copyOf(pluginFolders);
  }

  /** Returns the same where jars are run in more folders. */
  public TrustConfig withPluginFolders(Collection<Path> more) {
    List<Path> folders = new ArrayList<>(pluginFolders);
    folders.addAll(more);
    return new TrustConfig(roots, pluginModels, folders, uploadedSavedModels);
  }

  /** Reads the settings of what may be loaded. */
  public static TrustConfig read(Section models) {
    Set<String> names = new LinkedHashSet<>();
    List<Path> folders = new ArrayList<>();
    for (Setting plugin : models.list("plugins", List.of(), setting -> setting)) {
      if (plugin.text().contains("/")) {
        folders.add(path(plugin));
      } else if (plugin.text().isBlank()) {
        throw plugin.wanted("a model's name, or a folder with a / in it");
      } else {
        names.add(plugin.text());
      }
    }
    return new TrustConfig(
        models.list("roots", DEFAULT.roots, TrustConfig::path),
        names,
        folders,
        models.flag("uploaded_saved_models", DEFAULT.uploadedSavedModels));
  }

  private static Path path(Setting setting) {
    try {
      if (!setting.text().isBlank() && !RemotePath.is(setting.text())) {
        return Path.of(setting.text());
      }
    } catch (InvalidPathException _) {
      // the complaint below says it
    }
    throw setting.wanted("a folder");
  }
}
