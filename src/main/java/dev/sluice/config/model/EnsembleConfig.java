package dev.sluice.config.model;

import dev.sluice.config.binding.Section;
import dev.sluice.config.binding.Setting;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A model that is composed of others: tensors flow from its inputs through steps to its outputs.
 *
 * @param steps models that run, in any order: each as soon as its tensors are there
 * @param inputs inputs of the ensemble; empty: the tensors that no step writes
 * @param outputs outputs of the ensemble; empty: the tensors that no step takes
 */
public record EnsembleConfig(
    List<Step> steps, List<Declaration> inputs, List<Declaration> outputs) {
  /** Stands for the highest version that takes requests. */
  public static final long LATEST = -1;

  /**
   * One model that is asked.
   *
   * @param model model that runs
   * @param version version of the model; empty: the latest
   * @param inputs tensors of the ensemble, by the names of the model's inputs
   * @param outputs tensors of the ensemble, by the names of the model's outputs
   */
  public record Step(
      String model, long version, Map<String, String> inputs, Map<String, String> outputs) {
    public Step {
      inputs = Collections.unmodifiableMap(new LinkedHashMap<>(inputs));
      outputs = Collections.unmodifiableMap(new LinkedHashMap<>(outputs));
    }
  }

  /**
   * One of the ensemble's own tensors.
   *
   * @param tensor which one it is: the one of its name, unless that is another one already
   * @param type empty: as the steps have it
   * @param shape unknown: as the steps have it
   */
  public record Declaration(
      String name, String tensor, Optional<DataType> type, Shape shape, boolean optional) {
    public Declaration(String name, Optional<DataType> type, Shape shape, boolean optional) {
      this(name, name, type, shape, optional);
    }

    /** Returns one of which only the name is said. */
    public static Declaration named(String name) {
      return of(name, name);
    }

    /** Returns one of which it is only said which tensor it is. */
    public static Declaration of(String name, String tensor) {
      return new Declaration(name, tensor, Optional.empty(), Shape.UNKNOWN, false);
    }
  }

  public EnsembleConfig {
    steps = List.copyOf(steps);
    inputs = List.copyOf(inputs);
    outputs = List.copyOf(outputs);
  }

  /**
   * Models one behind the other: each takes what the one before it gives, by the tensors' names, or
   * in their order where no name is the same. What goes where is only known when the models are.
   */
  public static EnsembleConfig chain(List<String> models) {
    return new EnsembleConfig(
        models.stream().map(model -> new Step(model, LATEST, Map.of(), Map.of())).toList(),
        List.of(),
        List.of());
  }

  /**
   * Returns whether the steps do not say which tensors they take and write, as those of a chain.
   */
  public boolean isChain() {
    return steps.getFirst().inputs().isEmpty();
  }

  /** Reads the {@code ensemble} of a {@code model.yml}. */
  static EnsembleConfig read(Section ensemble) {
    List<Step> steps =
        ensemble
            .value("steps")
            .orElseThrow(() -> ensemble.missing("steps", "a list of models"))
            .elements()
            .stream()
            .map(step -> step.section().readAll(EnsembleConfig::step))
            .toList();
    return new EnsembleConfig(steps, declared(ensemble, "inputs"), declared(ensemble, "outputs"));
  }

  private static List<Declaration> declared(Section ensemble, String key) {
    return ensemble.list(key, List.of(), name -> Declaration.named(name.text()));
  }

  private static Step step(Section step) {
    return new Step(
        step.text("model").orElseThrow(() -> step.missing("model", "a model")),
        step.value("version").map(Setting::version).orElse(LATEST),
        tensors(step, "inputs"),
        tensors(step, "outputs"));
  }

  private static Map<String, String> tensors(Section step, String key) {
    Map<String, String> tensors = new LinkedHashMap<>();
    step.value(key)
        .map(Setting::named)
        .orElse(Map.of())
        .forEach((name, tensor) -> tensors.put(name, tensor.text()));
    if (tensors.isEmpty()) {
      throw step.missing(key, "tensors of the ensemble by the model's names");
    }
    return tensors;
  }
}
