package dev.sluice.scheduling.sequence;

import dev.sluice.config.model.SequenceConfig;
import dev.sluice.config.model.SequenceConfig.Control;
import dev.sluice.config.model.SequenceConfig.State;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.Signature;
import dev.sluice.tensor.TensorSpec;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The ways in which a model's requests can be called in sequences. Immutable; any thread. */
public final class SequencePlans {
  private final Map<String, Signature> shown = new LinkedHashMap<>();
  private final IdentityHashMap<Signature, SequencePlan> plans = new IdentityHashMap<>();

  private SequencePlans() {}

  /**
   * Works out what callers see of a model, and what is between that and its own signatures. A
   * signature without the tensors that the settings name stays as it is, and has no sequences.
   *
   * @throws InferenceException with FAILED_PRECONDITION if no signature has these tensors, or they
   *     are of types that do not go together
   */
  public static SequencePlans of(ModelMetadata model, SequenceConfig config) {
    var plans = new SequencePlans();
    Set<String> missing = new TreeSet<>();
    model
        .signatures()
        .forEach((name, whole) -> {
          Set<String> lacks = missing(whole, config);
          missing.addAll(lacks);
          if (lacks.isEmpty()) {
            SequencePlan plan = plan(whole, config, model.maxBatchSize() > 0);
            plans.plans.put(plan.shown(), plan);
            plans.shown.put(name, plan.shown());
          } else {
            plans.shown.put(name, whole);
          }
        });
    if (plans.plans.isEmpty()) {
      throw new InferenceException(
          ErrorCode.FAILED_PRECONDITION,
          "the model has none of the tensors that its sequence settings name: " + missing);
    }
    return plans;
  }

  private static Set<String> missing(Signature whole, SequenceConfig config) {
    Set<String> missing = new TreeSet<>();
    for (Control control : config.controls()) {
      whole.input(control.input()).ifPresentOrElse(_ -> {}, () -> missing.add(control.input()));
    }
    for (State state : config.states()) {
      whole.input(state.input()).ifPresentOrElse(_ -> {}, () -> missing.add(state.input()));
      whole.output(state.output()).ifPresentOrElse(_ -> {}, () -> missing.add(state.output()));
    }
    return missing;
  }

  private static SequencePlan plan(Signature whole, SequenceConfig config, boolean batched) {
    Set<String> made = new HashSet<>();
    Set<String> kept = new HashSet<>();
    config.controls().forEach(control -> made.add(control.input()));
    for (State state : config.states()) {
      made.add(state.input());
      if (!state.returned()) {
        kept.add(state.output());
      }
    }
    if (made.size() < config.controls().size() + config.states().size()) {
      throw new InferenceException(
          ErrorCode.FAILED_PRECONDITION, "the sequence settings fill an input twice: " + made);
    }
    return new SequencePlan(
        new Signature(
            whole.name(),
            whole.method(),
            without(whole.inputs(), made),
            without(whole.outputs(), kept)),
        whole,
        batched,
        config.controls().stream()
            .map(control -> new ControlInput(control, input(whole, control.input()), batched))
            .toList(),
        config.states().stream().map(state -> state(whole, state, batched)).toList());
  }

  private static StateTensor state(Signature whole, State state, boolean batched) {
    TensorSpec output = whole.output(state.output()).orElseThrow();
    return new StateTensor(state, input(whole, state.input()), output, batched);
  }

  private static TensorSpec input(Signature whole, String name) {
    Optional<TensorSpec> input = whole.input(name);
    return input.orElseThrow();
  }

  private static List<TensorSpec> without(List<TensorSpec> tensors, Set<String> names) {
    return tensors.stream().filter(tensor -> !names.contains(tensor.name())).toList();
  }

  /** Returns the signatures that callers see, by name. */
  public Map<String, Signature> shown() {
    return shown;
  }

  /** Returns the plan for requests of a signature that callers see; null if it has no sequences. */
  @Nullable SequencePlan plan(Signature called) {
    return plans.get(called);
  }
}
