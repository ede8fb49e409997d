package dev.sluice.scheduling.ensemble;

import dev.sluice.config.model.EnsembleConfig;
import dev.sluice.config.model.EnsembleConfig.Declaration;
import dev.sluice.config.model.EnsembleConfig.Step;
import dev.sluice.inference.Signature;
import dev.sluice.tensor.TensorSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds out which tensors go from model to model in a chain: by name, or in their order where no
 * name is the same. The first model's inputs and the last one's outputs are the ensemble's own.
 */
final class SequentialTensorMapping {
  private final String name;
  private final List<Step> steps;
  private final List<Signature> models;

  private SequentialTensorMapping(String name, List<Step> steps, List<Signature> models) {
    this.name = name;
    this.steps = steps;
    this.models = models;
  }

  /**
   * Returns the same chain with all tensors named.
   *
   * @param models the signatures of its steps
   * @throws dev.sluice.inference.InferenceException with FAILED_PRECONDITION if one model cannot
   *     take what the one before it gives
   */
  static EnsembleConfig link(String name, EnsembleConfig chain, List<Signature> models) {
    return new SequentialTensorMapping(name, chain.steps(), models).link();
  }

  private EnsembleConfig link() {
    int last = steps.size() - 1;
    List<Map<String, String>> inputs = new ArrayList<>();
    List<Map<String, String>> outputs = new ArrayList<>();
    inputs.add(plain(models.getFirst().inputs()));
    for (int i = 0; i < last; i++) {
      Map<String, String> given = given(i);
      var tensors = new LinkedHashMap<String, String>();
      String number = (i + 1) + ".";
      given.values().forEach(output -> tensors.put(output, number + output));
      given.replaceAll((_, output) -> number + output);
      outputs.add(tensors);
      inputs.add(given);
    }
    Map<String, String> own = own(inputs.getFirst());
    outputs.add(own);
    List<Step> linked = new ArrayList<>();
    for (int i = 0; i <= last; i++) {
      Step step = steps.get(i);
      linked.add(new Step(step.model(), step.version(), inputs.get(i), outputs.get(i)));
    }
    List<Declaration> declared = new ArrayList<>();
    own.forEach((output, tensor) -> declared.add(Declaration.of(output, tensor)));
    return new EnsembleConfig(linked, List.of(), declared);
  }

  private static Map<String, String> plain(List<TensorSpec> tensors) {
    var names = new LinkedHashMap<String, String>();
    tensors.forEach(tensor -> names.put(tensor.name(), tensor.name()));
    return names;
  }

  /** Returns the last model's outputs, which may have the names of what the first one takes. */
  private Map<String, String> own(Map<String, String> inputs) {
    Map<String, String> own = plain(models.getLast().outputs());
    own.replaceAll(
        (output, tensor) -> inputs.containsKey(output) ? steps.size() + "." + output : tensor);
    return own;
  }

  /** Returns the inputs of the next model, each with the output of a step that it is. */
  private Map<String, String> given(int step) {
    List<TensorSpec> taken = models.get(step + 1).inputs();
    List<TensorSpec> needed = taken.stream().filter(input -> !input.optional()).toList();
    List<TensorSpec> written = models.get(step).outputs();
    Map<String, String> given = ofSameName(taken, models.get(step));
    if (given.isEmpty() && needed.size() == written.size()) {
      given = inOrder(needed, written);
    }
    if (given.isEmpty() || !given.keySet().containsAll(names(needed))) {
      throw EnsembleGraphBuilder.refused(
          "ensemble '%s', step %d: model '%s' takes %s, but model '%s' before it gives %s"
              .formatted(
                  name,
                  step + 2,
                  steps.get(step + 1).model(),
                  names(taken),
                  steps.get(step).model(),
                  names(written)));
    }
    return given;
  }

  private static Map<String, String> ofSameName(List<TensorSpec> taken, Signature writer) {
    var given = new LinkedHashMap<String, String>();
    taken.stream()
        .map(TensorSpec::name)
        .filter(input -> writer.output(input).isPresent())
        .forEach(input -> given.put(input, input));
    return given;
  }

  private static Map<String, String> inOrder(List<TensorSpec> taken, List<TensorSpec> written) {
    var given = new LinkedHashMap<String, String>();
    for (int i = 0; i < taken.size(); i++) {
      given.put(taken.get(i).name(), written.get(i).name());
    }
    return given;
  }

  private static List<String> names(List<TensorSpec> tensors) {
    return tensors.stream().map(TensorSpec::name).toList();
  }
}
