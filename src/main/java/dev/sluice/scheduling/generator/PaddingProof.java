package dev.sluice.scheduling.generator;

import dev.sluice.inference.LoopStep;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.PaddingSide;
import dev.sluice.tensor.SequencePadding;
import dev.sluice.tensor.SharedTensor;
import dev.sluice.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Proves on a model itself that padding on one side does not change what it answers: decodes a
 * token behind a short prompt alone, and padded beside a longer one. For a model that no other
 * caller uses meanwhile; one thread.
 *
 * @param inPlace whether caches have room behind both, and the model writes into it what is new
 */
record PaddingProof(ProofModel model, PaddingSide side, boolean inPlace) {
  private static final int SHORT = 3;
  private static final int LONG = 7;

  /** Elements of masks and caches where caches are written in place. */
  private static final int ROOM = 12;

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
    var proven = new ProvenLoop(side, Integer.MAX_VALUE, 0, Map.of(), Optional.empty(), false);
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
      Map<String, String> caches = inPlace ? model.loop().caches() : Map.of();
      List<NamedTensor> together = model.run(joined, caches);
      Optional<String> copied = copied(caches, together, joined);
      return copied.isPresent() ? copied : compare(together, one, other);
    } finally {
      NamedTensor.closeAll(joined);
      NamedTensor.closeAll(one);
      NamedTensor.closeAll(other);
    }
  }

  private List<NamedTensor> joined(
      LoopStep.Padding padding, List<NamedTensor> shorter, List<NamedTensor> longer) {
    var joined = new ArrayList<NamedTensor>(shorter.size());
    try {
      for (int i = 0; i < shorter.size(); i++) {
        String name = shorter.get(i).name();
        List<Tensor> rows = List.of(shorter.get(i).tensor(), longer.get(i).tensor());
        int axis = padding.axis(name);
        long[] added = rows.stream().mapToLong(row -> added(row, axis, rows.getLast())).toArray();
        joined.add(new NamedTensor(name, SequencePadding.joined(rows, axis, side, added, 2)));
      }
      return joined;
    } catch (RuntimeException | Error e) {
      NamedTensor.closeAll(joined);
      throw e;
    }
  }

  private long added(Tensor row, int axis, Tensor longest) {
    if (axis == 0) {
      return 0;
    }
    return (inPlace ? ROOM : longest.shape().dim(axis)) - row.shape().dim(axis);
  }

  /** Returns what was not written over its input, and closes the outputs then. */
  private static Optional<String> copied(
      Map<String, String> caches, List<NamedTensor> outputs, List<NamedTensor> inputs) {
    for (NamedTensor output : outputs) {
      String input = caches.get(output.name());
      if (input != null && !liesIn(inputs, input, output.tensor())) {
        NamedTensor.closeAll(outputs);
        return Optional.of("its output " + output.name() + " is not written in place");
      }
    }
    return Optional.empty();
  }

  private static boolean liesIn(List<NamedTensor> inputs, String name, Tensor output) {
    return inputs.stream()
        .anyMatch(input ->
            input.name().equals(name)
                && input.tensor().data().address() == output.data().address());
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
    try (Tensor first = cut(rows, axis, one);
        Tensor second = cut(rows, axis, other)) {
      return ProofModel.areNear(first, one) && ProofModel.areNear(second, other);
    }
  }

  /** Returns a tensor of its own: the next row without its padding. */
  private Tensor cut(SharedTensor rows, int axis, Tensor alone) {
    try (Tensor row = rows.next(1)) {
      return axis > 0
          ? SequencePadding.cut(row, axis, side, row.shape().dim(axis) - alone.shape().dim(axis))
          : row.copy();
    }
  }
}
