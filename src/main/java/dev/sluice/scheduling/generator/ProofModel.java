package dev.sluice.scheduling.generator;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelLease;
import dev.sluice.scheduling.BatchExecutor;
import dev.sluice.scheduling.generator.GenerationInput.Origin;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.FloatValues;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorSpec;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A model that proves something of its loop on made-up tokens. No other caller uses it meanwhile;
 * one thread.
 *
 * @param lease of the model, with nothing to release
 */
record ProofModel(GenerationLoop loop, ModelLease lease, BatchExecutor executor) {
  /** Returns why made-up tokens cannot be tried; empty if they can. */
  Optional<String> unsuitable() {
    if (loop.config().next().isEmpty()) {
      return Optional.of("it chooses no tokens");
    }
    for (GenerationInput input : loop.inputs()) {
      if (input.origin() == Origin.CALLER && !input.spec().optional()) {
        return Optional.of("only a caller knows its input " + input.name());
      }
    }
    return tokens().shape().rank() == 2
        ? Optional.empty()
        : Optional.of("its prompts are not rows of tokens");
  }

  /** Returns the input that takes the tokens. */
  TensorSpec tokens() {
    return loop.called().input(loop.config().next().orElseThrow().to()).orElseThrow();
  }

  /** Returns what a loop computes of these inputs. The caller owns it. */
  List<NamedTensor> run(List<NamedTensor> inputs) {
    return run(inputs, Map.of());
  }

  /**
   * Returns the same.
   *
   * @param inPlace outputs that may be written over inputs, with the names of these
   */
  List<NamedTensor> run(List<NamedTensor> inputs, Map<String, String> inPlace) {
    List<TensorSpec> outputs =
        loop.computed().stream().map(name -> loop.called().output(name).orElseThrow()).toList();
    return executor.run(loop.called(), inputs, outputs, inPlace);
  }

  /** Returns whether two outputs differ by what another order of additions makes, at most. */
  static boolean areNear(Tensor one, Tensor other) {
    if (!one.shape().equals(other.shape())) {
      return false;
    }
    return one.type().isFloat()
        ? FloatValues.areNear(one, other, tolerance(one.type()))
        : one.data().mismatch(other.data()) < 0;
  }

  private static double tolerance(DataType type) {
    return type == DataType.FP32 || type == DataType.FP64 ? 1e-3 : 3e-2;
  }

  /** Returns why a trial could not be made. */
  static String refusal(RuntimeException thrown) {
    return thrown instanceof InferenceException e
        ? "it refuses made-up tokens: " + e.getMessage()
        : "made-up tokens cannot be tried: " + thrown;
  }
}
