package dev.sluice.scheduling.generator;

import dev.sluice.inference.LoopStep;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.PaddingSide;
import dev.sluice.tensor.SequencePadding;
import dev.sluice.tensor.SharedTensor;
import dev.sluice.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Proves on a model itself that padding on one side does not change what it answers: decodes a
 * token behind a short prompt alone, and padded beside a longer one. For a model that no other
 * caller uses meanwhile; one thread.
 */
record PaddingProof(ProofModel model, PaddingSide side) {
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
    if (model.loop().axes().isEmpty()) {
      return Optional.of("it has no attention mask that grows as its caches do");
    }
    for (GenerationInput input : model.loop().inputs()) {
      if (input.spec().shape().rank() == 0) {
        return Optional.of("its input " + input.name() + " has no rows to join");
      }
    }
    return model.unsuitable();
  }

  /** Returns what padding changes. */
  private Optional<String> difference() {
    var proven = new ProvenLoop(side, Integer.MAX_VALUE, 0);
    try (var shorter = ProofStream.prefill(model, proven, SHORT);
        var longer = ProofStream.prefill(model, proven, LONG)) {
      if (shorter.isOver() || longer.isOver()) {
        return Optional.of("a stream ends with its first token");
      }
      LoopStep.Padding padding = shorter.step().padding();
      return padding == null
          ? Optional.of("its caches are not as long as its mask")
          : compare(padding, shorter.step().inputs(), longer.step().inputs());
    } catch (RuntimeException e) {
      return Optional.of(ProofModel.refusal(e));
    }
  }

  private Optional<String> compare(
      LoopStep.Padding padding, List<NamedTensor> shorter, List<NamedTensor> longer) {
    List<NamedTensor> joined = joined(padding, shorter, longer);
    List<NamedTensor> one = List.of();
    List<NamedTensor> other = List.of();
    try {
      one = model.run(shorter);
      other = model.run(longer);
      return compare(model.run(joined), one, other);
    } finally {
      NamedTensor.closeAll(joined);
      NamedTensor.closeAll(one);
      NamedTensor.closeAll(other);
    }
  }

  private static List<NamedTensor> joined(
      LoopStep.Padding padding, List<NamedTensor> shorter, List<NamedTensor> longer) {
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
    int axis = model.loop().outputAxis(output);
    try (Tensor padded = rows.next(1);
        Tensor longest = rows.next(1);
        Tensor cut =
            axis > 0 ? SequencePadding.cut(padded, axis, side, LONG - SHORT) : padded.copy()) {
      return ProofModel.areNear(cut, one) && ProofModel.areNear(longest, other);
    }
  }
}
