package dev.sluice.scheduling.generator;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.StepPadding;
import dev.sluice.scheduling.BatchExecutor;
import dev.sluice.scheduling.generator.GenerationInput.Origin;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.FloatValues;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.PaddingSide;
import dev.sluice.tensor.SequencePadding;
import dev.sluice.tensor.SharedTensor;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Proves on a model itself that padding on one side does not change what it answers: decodes a
 * token behind a short prompt alone, and padded beside a longer one. For a model that no other
 * caller uses meanwhile; one thread.
 *
 * @param lease of the model, with nothing to release
 */
record PaddingProof(GenerationLoop loop, PaddingSide side, ModelLease lease, BatchExecutor model) {
  private static final int SHORT = 3;
  private static final int LONG = 7;

  /**
   * Returns why streams of different lengths cannot run together; empty if they can. Never throws:
   * a model that cannot be tried is served as it is.
   */
  Optional<String> obstacle() {
    return unsuitable().or(this::difference);
  }

  /** Returns what cannot be padded in any case. */
  private Optional<String> unsuitable() {
    if (loop.axes().isEmpty() || loop.config().next().isEmpty()) {
      return Optional.of("it has no attention mask that grows as its caches do");
    }
    for (GenerationInput input : loop.inputs()) {
      if (input.origin() == Origin.CALLER && !input.spec().optional()) {
        return Optional.of("only a caller knows its input " + input.name());
      }
      if (input.spec().shape().rank() == 0) {
        return Optional.of("its input " + input.name() + " has no rows to join");
      }
    }
    return tokens().shape().rank() == 2
        ? Optional.empty()
        : Optional.of("its prompts are not rows of tokens");
  }

  private TensorSpec tokens() {
    return loop.called().input(loop.config().next().orElseThrow().to()).orElseThrow();
  }

  /** Returns what padding changes. */
  private Optional<String> difference() {
    try (var shorter = ProofStream.prefill(this, tokens(), SHORT);
        var longer = ProofStream.prefill(this, tokens(), LONG)) {
      if (shorter.isOver() || longer.isOver()) {
        return Optional.of("a stream ends with its first token");
      }
      StepPadding padding = shorter.step().padding();
      return padding == null
          ? Optional.of("its caches are not as long as its mask")
          : compare(padding, shorter.step().inputs(), longer.step().inputs());
    } catch (InferenceException e) {
      return Optional.of("it refuses made-up tokens: " + e.getMessage());
    } catch (RuntimeException e) {
      return Optional.of("made-up tokens cannot be tried: " + e);
    }
  }

  private Optional<String> compare(
      StepPadding padding, List<NamedTensor> shorter, List<NamedTensor> longer) {
    List<NamedTensor> joined = joined(padding, shorter, longer);
    List<NamedTensor> one = List.of();
    List<NamedTensor> other = List.of();
    try {
      one = run(shorter);
      other = run(longer);
      return compare(run(joined), one, other);
    } finally {
      NamedTensor.closeAll(joined);
      NamedTensor.closeAll(one);
      NamedTensor.closeAll(other);
    }
  }

  List<NamedTensor> run(List<NamedTensor> inputs) {
    List<TensorSpec> outputs =
        loop.computed().stream().map(name -> loop.called().output(name).orElseThrow()).toList();
    return model.run(loop.called(), inputs, outputs);
  }

  private static List<NamedTensor> joined(
      StepPadding padding, List<NamedTensor> shorter, List<NamedTensor> longer) {
    var joined = new ArrayList<NamedTensor>(shorter.size());
    try {
      for (int i = 0; i < shorter.size(); i++) {
        String name = shorter.get(i).name();
        List<Tensor> rows = List.of(shorter.get(i).tensor(), longer.get(i).tensor());
        int axis = padding.axis(name);
        var added = new long[] {axis > 0 ? LONG - SHORT : 0, 0};
        joined.add(
            new NamedTensor(name, SequencePadding.joined(rows, axis, padding.side(), added, 2)));
      }
      return joined;
    } catch (RuntimeException | Error e) {
      NamedTensor.closeAll(joined);
      throw e;
    }
  }

  /** Closes the outputs that ran together. */
  private Optional<String> compare(
      List<NamedTensor> together, List<NamedTensor> one, List<NamedTensor> other) {
    try {
      for (int i = 0; i < together.size(); i++) {
        if (!isSame(i, together.get(i).tensor(), one.get(i).tensor(), other.get(i).tensor())) {
          return Optional.of(side + " padding changes its output " + together.get(i).name());
        }
      }
      return Optional.empty();
    } finally {
      NamedTensor.closeAll(together);
    }
  }

  private boolean isSame(int output, Tensor together, Tensor one, Tensor other) {
    if (together.shape().rank() == 0 || together.shape().dim(0) != 2) {
      return false;
    }
    try (var rows = new SharedTensor(together)) {
      return areSame(rows, output, one, other);
    }
  }

  private boolean areSame(SharedTensor rows, int output, Tensor one, Tensor other) {
    int axis = loop.outputAxis(output);
    try (Tensor padded = rows.next(1);
        Tensor longest = rows.next(1);
        Tensor cut =
            axis > 0 ? SequencePadding.cut(padded, axis, side, LONG - SHORT) : padded.copy()) {
      return areNear(cut, one) && areNear(longest, other);
    }
  }

  /** Returns whether two outputs differ by what another order of additions makes, at most. */
  private static boolean areNear(Tensor one, Tensor other) {
    if (!one.shape().equals(other.shape())) {
      return false;
    }
    if (!one.type().isFloat()) {
      return one.data().mismatch(other.data()) < 0;
    }
    return FloatValues.areNear(one, other, tolerance(one.type()));
  }

  private static double tolerance(DataType type) {
    return type == DataType.FP32 || type == DataType.FP64 ? 1e-3 : 3e-2;
  }
}
