package dev.sluice.config.server;

import dev.sluice.config.model.ListedModel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Desired state of the repository: the models that should be served. Replaced as a whole while the
 * server runs.
 *
 * @param directories folder whose sub-folders are models; of several, the first one that has a
 *     model of a name wins. Also {@code --models DIR}
 * @param listed further models, each with its folder or its ONNX file
 */
public record DesiredModels(List<Path> directories, Map<String, ListedModel> listed) {
  public DesiredModels {
    directories = List.copyOf(directories);
    listed = Map.copyOf(listed);
  }

  /** The models of one directory, and further ones. */
  public DesiredModels(Path directory, Map<String, ListedModel> listed) {
    this(List.of(directory), listed);
  }

  /** Just these, whatever lies in a directory. */
  public static DesiredModels only(Map<String, ListedModel> listed) {
    return new DesiredModels(List.of(), listed);
  }

  /** Returns the same and this one, in place of what was listed under its name. */
  public DesiredModels with(String name, ListedModel model) {
    Map<String, ListedModel> more = new HashMap<>(listed);
    more.put(name, model);
    return new DesiredModels(directories, more);
  }

  /** Returns the same without what is listed under this name. */
  public DesiredModels without(String name) {
    Map<String, ListedModel> fewer = new HashMap<>(listed);
    fewer.remove(name);
    return new DesiredModels(directories, fewer);
  }

  /** Returns the same and the sub-folders of one more directory. */
  public DesiredModels withDirectory(Path directory) {
    List<Path> more = new ArrayList<>(directories);
    more.add(directory);
    return new DesiredModels(more, listed);
  }

  /** Returns the names that were not listed before, or with another folder; a new set. */
  public Set<String> newSince(DesiredModels before) {
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
