package dev.sluice.scheduling.ensemble;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Behind how many members that answer by streams each step of an ensemble comes. Those of level 0
 * run once for a request; those of level 1 once for each response of the first such member, and so
 * on. Immutable.
 */
final class StreamLevels {
  private final int[] levels;

  private StreamLevels(int[] levels) {
    this.levels = levels;
  }

  /**
   * Finds the levels of steps.
   *
   * @param ensemble its name, for the text
   * @param steps each after those whose tensors it takes
   * @throws dev.sluice.inference.InferenceException with FAILED_PRECONDITION if two members answer
   *     by streams and neither comes behind the other: their responses have no order
   */
  static StreamLevels of(String ensemble, List<EnsembleStep> steps) {
    int[] levels = new int[steps.size()];
    Map<Integer, Integer> ofTensors = new HashMap<>();
    List<@Nullable EnsembleStep> streaming = new ArrayList<>();
    for (int i = 0; i < levels.length; i++) {
      EnsembleStep step = steps.get(i);
      for (EnsembleStep.Link input : step.inputs()) {
        levels[i] = Math.max(levels[i], ofTensors.getOrDefault(input.tensor(), 0));
      }
      int behind = levels[i];
      if (step.streams()) {
        requireAlone(ensemble, streaming, step, behind++);
      }
      for (EnsembleStep.Link output : step.outputs()) {
        ofTensors.put(output.tensor(), behind);
      }
    }
    return new StreamLevels(levels);
  }

  private static void requireAlone(
      String ensemble, List<@Nullable EnsembleStep> streaming, EnsembleStep step, int level) {
    while (streaming.size() <= level) {
      streaming.add(null);
    }
    EnsembleStep other = streaming.set(level, step);
    if (other != null) {
      throw EnsembleGraphBuilder.refused(
          ("ensemble '%s': steps %s and %s both answer by streams, and neither takes what the other"
                  + " gives; wanted one behind the other")
              .formatted(ensemble, other.text(), step.text()));
    }
  }

  /**
   * Returns the level of a step.
   *
   * @param step its place among the steps
   */
  int of(int step) {
    return levels[step];
  }
}
