package dev.sluice.config.compat.triton;

import dev.sluice.config.compat.triton.proto.BatchInput;
import dev.sluice.config.compat.triton.proto.BatchInput.Kind;
import dev.sluice.config.compat.triton.proto.BatchOutput;
import dev.sluice.config.compat.triton.proto.DataType;
import dev.sluice.config.compat.triton.proto.ModelConfig;
import dev.sluice.config.compat.triton.proto.ModelInput;
import dev.sluice.config.compat.triton.proto.ModelOutput;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Checks what a Triton configuration says of ragged batches: {@code allow_ragged_batch}, {@code
 * batch_input} and {@code batch_output}. What it says is carried out as it is declared.
 */
record TritonRagged(TritonFields fields, ModelConfig model) {
  /** Rejects what could not be carried out. */
  void require() {
    Set<String> targets = new TreeSet<>();
    for (BatchInput input : model.getBatchInputList()) {
      requireNames("batch_input", input.getTargetNameList(), input.getSourceInputList(), targets);
      if (input.getKind() == Kind.UNRECOGNIZED) {
        throw fields.error("batch_input.kind", input.getKindValue(), "a kind");
      }
      if (input.getDataType() != DataType.TYPE_INT32 && input.getDataType() != DataType.TYPE_FP32) {
        throw fields.error("batch_input.data_type", input.getDataType(), "TYPE_INT32 or TYPE_FP32");
      }
    }
    for (BatchOutput output : model.getBatchOutputList()) {
      requireNames(
          "batch_output", output.getTargetNameList(), output.getSourceInputList(), targets);
      output.getTargetNameList().forEach(this::requireDeclared);
    }
    model.getInputList().forEach(input -> fields.dims("input.dims", input.getDimsList()));
    model.getOutputList().forEach(output -> fields.dims("output.dims", output.getDimsList()));
    boolean ragged = model.getInputList().stream().anyMatch(ModelInput::getAllowRaggedBatch);
    if (model.hasEnsembleScheduling() && (ragged || !targets.isEmpty())) {
      throw fields.error(
          "ensemble_scheduling", "set", "none where inputs or outputs are ragged: members say so");
    }
  }

  private void requireNames(
      String field, List<String> names, List<String> sources, Set<String> targets) {
    if (names.isEmpty()) {
      throw fields.error(field + ".target_name", "missing", "a tensor's name");
    }
    if (sources.size() != 1) {
      throw fields.error(field + ".source_input", sources, "the name of one input");
    }
    for (String name : names) {
      if (!targets.add(name)) {
        throw fields.error(field + ".target_name", name, "each name once");
      }
    }
  }

  private void requireDeclared(String output) {
    if (model.getOutputList().stream().map(ModelOutput::getName).noneMatch(output::equals)) {
      throw fields.error(
          "batch_output.target_name", output, "one of the names under output, whose dims it has");
    }
  }
}
