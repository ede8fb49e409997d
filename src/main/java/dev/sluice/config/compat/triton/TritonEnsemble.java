package dev.sluice.config.compat.triton;

import dev.sluice.config.compat.triton.proto.ModelConfig;
import dev.sluice.config.compat.triton.proto.ModelEnsembling;
import dev.sluice.config.model.EnsembleConfig;
import dev.sluice.config.model.EnsembleConfig.Step;
import java.util.List;
import java.util.Optional;

/**
 * The {@code ensemble_scheduling} of a Triton configuration.
 *
 * <p>Tensor maps ({@code input_map}, {@code output_map}) become the links of an {@code
 * EnsembleConfig}; whether they fit the members is checked when those are loaded.
 */
record TritonEnsemble(TritonFields fields, ModelConfig model) {
  Optional<EnsembleConfig> read() {
    if (!model.hasEnsembleScheduling()) {
      return Optional.empty();
    }
    List<Step> steps =
        model.getEnsembleScheduling().getStepList().stream().map(this::step).toList();
    if (steps.isEmpty()) {
      throw fields.error("ensemble_scheduling", "without a step", "one at least");
    }
    var tensors = new TritonTensor(fields, model);
    return Optional.of(new EnsembleConfig(steps, tensors.inputs(), tensors.outputs()));
  }

  private Step step(ModelEnsembling.Step step) {
    if (step.getModelName().isEmpty()) {
      throw fields.error("ensemble_scheduling.step", "without model_name", "one");
    }
    long version =
        step.hasModelVersion()
            ? fields.whole("model_version", step.getModelVersion(), -1, Long.MAX_VALUE)
            : EnsembleConfig.LATEST;
    return new Step(step.getModelName(), version, step.getInputMapMap(), step.getOutputMapMap());
  }
}
