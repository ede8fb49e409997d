package dev.sluice.config;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Which models should be served. Replaced as a whole while the server runs.
 *
 * @param directory its sub-folders are models; an empty path for none
 * @param listed further models by name; these win over sub-folders of the same name
 */
public record WantedModels(Path directory, Map<String, ListedModel> listed) {
  private static final Path NO_DIRECTORY = Path.of("");

  public WantedModels {
    listed = Map.copyOf(listed);
  }

  /** Just these, whatever lies in a directory. */
  public static WantedModels only(Map<String, ListedModel> listed) {
    return new WantedModels(NO_DIRECTORY, listed);
  }

  /** Whether a directory is looked into at all. */
  public boolean hasDirectory() {
    return !directory.equals(NO_DIRECTORY);
  }

  /** The same and this one, in place of what was listed under its name. */
  public WantedModels with(String name, ListedModel model) {
    Map<String, ListedModel> more = new HashMap<>(listed);
    more.put(name, model);
    return new WantedModels(directory, more);
  }

  /** The same without what is listed under this name. */
  public WantedModels without(String name) {
    Map<String, ListedModel> fewer = new HashMap<>(listed);
    fewer.remove(name);
    return new WantedModels(directory, fewer);
  }

  /** Names that were not listed before, or with another folder; a new set. */
  public Set<String> newSince(WantedModels before) {
    Set<String> names = new HashSet<>();
    listed.forEach((name, model) -> {
      ListedModel former = before.listed.get(name);
      if (former == null || !former.folder().equals(model.folder())) {
        names.add(name);
      }
    });
    return names;
  }
}
