package dev.sluice.repository.scan;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The result of one poll of the folders.
 *
 * @param complete whether every folder of models could be listed; if not, a model that was not seen
 *     may still be there
 * @param models by name
 * @param unreadable names of models that are there, or should be, but could not be looked at
 * @param warnings what an operator should know
 */
public record ScanResult(
    boolean complete,
    Map<String, ScannedModel> models,
    Set<String> unreadable,
    List<String> warnings) {
  /** Copies the collections. */
  public ScanResult {
    models = Map.copyOf(models);
    unreadable = Set.copyOf(unreadable);
    warnings = List.copyOf(warnings);
  }

  /** Returns the same, where ensembles need no files. */
  public ScanResult withEnsembles(Predicate<String> isEnsemble) {
    Map<String, ScannedModel> all = new HashMap<>(models);
    all.replaceAll((name, model) -> isEnsemble.test(name) ? model.withoutFiles() : model);
    return new ScanResult(complete, all, unreadable, warnings);
  }

  /** Returns whether the model was removed, and its folder was not just unreadable. */
  public boolean misses(String model) {
    return complete && !models.containsKey(model) && !unreadable.contains(model);
  }
}
