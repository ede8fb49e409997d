package dev.sluice.config.compat.triton;

import dev.sluice.config.binding.ProtoFields;
import dev.sluice.config.model.EnsembleConfig;
import dev.sluice.config.model.EnsembleConfig.Declaration;
import dev.sluice.config.model.EnsembleConfig.Step;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The {@code ensemble_scheduling} of a Triton {@code config.pbtxt}.
 *
 * <p>Tensor maps ({@code input_map}, {@code output_map}) become the links of an {@code
 * EnsembleConfig}; whether they fit the members is checked when those are loaded.
 */
record TritonEnsemble(ProtoFields model) {
  Optional<EnsembleConfig> read() {
    return model.inner("ensemble_scheduling").map(this::ensemble);
  }

  private EnsembleConfig ensemble(ProtoFields scheduling) {
    List<Step> steps = scheduling.inners("step").stream().map(this::step).toList();
    if (steps.isEmpty()) {
      throw model.error("ensemble_scheduling", "without a step", "one at least");
    }
    return new EnsembleConfig(steps, declarations("input"), declarations("output"));
  }

  private Step step(ProtoFields step) {
    String name =
        step.text("model_name")
            .orElseThrow(
                () -> model.error("ensemble_scheduling.step", "without model_name", "one"));
    return new Step(
        name,
        step.whole("model_version", -1, Long.MAX_VALUE).orElse(EnsembleConfig.LATEST),
        tensors(step, "input_map"),
        tensors(step, "output_map"));
  }

  private static Map<String, String> tensors(ProtoFields step, String field) {
    Map<String, String> tensors = new LinkedHashMap<>();
    for (ProtoFields entry : step.inners(field)) {
      tensors.put(entry.text("key").orElse(""), entry.text("value").orElse(""));
    }
    return tensors;
  }

  private List<Declaration> declarations(String field) {
    return model.inners(field).stream().map(tensor -> TritonTensor.read(model, tensor)).toList();
  }
}
