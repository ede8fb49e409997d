package dev.sluice.serving.ragged;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.Signature;
import dev.sluice.runtime.ModelSession;
import dev.sluice.scheduling.batching.PaddedRows;
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
 * Proves on a model itself that rows which run together, padded to the longest, are answered as
 * they are alone. For a session that no other caller uses meanwhile; one thread.
 *
 * @param session of the model's own tensors; borrowed
 * @param signature as clients see it: what they may leave out is optional
 * @param count of the rows that run together, at least two
 */
record LengthProof(ModelSession session, Signature signature, PaddedRows rows, int count) {
  /** Lengths of rows: the longest, then others by how much they show. */
  private static final List<Integer> LENGTHS = List.of(9, 1, 4, 2, 1, 6, 3, 1);

  static final int MOST_ROWS = LENGTHS.size();

  /** What lengths are multiplied by, in turn, until the model takes the shortest. */
  private static final int[] FACTORS = {1, 16, 256};

  /** Returns why rows of different lengths cannot run together; empty if they can. */
  Optional<String> obstacle() {
    List<String> unknown =
        signature.inputs().stream()
            .filter(input -> !input.optional() && !SyntheticRows.canBeMadeUp(input))
            .map(TensorSpec::name)
            .toList();
    if (!unknown.isEmpty()) {
      return untried("no rows can be made up for its input '%s'".formatted(unknown.getFirst()));
    }
    String refusal = "";
    for (int factor : FACTORS) {
      try {
        return difference(LENGTHS.stream().limit(count).map(length -> length * factor).toList());
      } catch (InferenceException e) {
        refusal = String.valueOf(e.getMessage());
      }
    }
    return untried("it refuses made-up rows: " + refusal);
  }

  private static Optional<String> untried(String why) {
    return Optional.of(
        "it cannot be tried whether padding changes its answers: %s (ragged.prove: false takes your"
                .formatted(why)
            + " word for it)");
  }

  private Optional<String> difference(List<Integer> lengths) {
    List<List<NamedTensor>> inputs = new ArrayList<>();
    List<List<NamedTensor>> alone = new ArrayList<>();
    List<NamedTensor> joined = new ArrayList<>();
    try {
      for (int i = 0; i < lengths.size(); i++) {
        var row = new ArrayList<>(new SyntheticRows(signature).row(i, rows.axes(), lengths.get(i)));
        inputs.add(row);
        rows.complete(row);
        alone.add(run(row));
      }
      join(inputs, joined);
      return compare(lengths, alone, run(joined));
    } finally {
      inputs.forEach(NamedTensor::closeAll);
      alone.forEach(NamedTensor::closeAll);
      NamedTensor.closeAll(joined);
    }
  }

  private List<NamedTensor> run(List<NamedTensor> inputs) {
    return session.run(signature, inputs, signature.supportedOutputs());
  }

  private void join(List<List<NamedTensor>> inputs, List<NamedTensor> joined) {
    for (int i = 0; i < inputs.getFirst().size(); i++) {
      int place = i;
      String name = inputs.getFirst().get(i).name();
      List<Tensor> tensors = inputs.stream().map(row -> row.get(place).tensor()).toList();
      Tensor padded = rows.joined(name, tensors, count);
      joined.add(new NamedTensor(name, padded == null ? stacked(tensors) : padded));
    }
  }

  private Tensor stacked(List<Tensor> tensors) {
    return SequencePadding.joined(tensors, 0, PaddingSide.RIGHT, new long[count], count);
  }

  /** Closes what ran together. */
  private Optional<String> compare(
      List<Integer> lengths, List<List<NamedTensor>> alone, List<NamedTensor> together) {
    try {
      for (int output = 0; output < together.size(); output++) {
        Optional<String> difference = compare(lengths, alone, together.get(output), output);
        if (difference.isPresent()) {
          return difference;
        }
      }
      return Optional.empty();
    } finally {
      NamedTensor.closeAll(together);
    }
  }

  private Optional<String> compare(
      List<Integer> lengths, List<List<NamedTensor>> alone, NamedTensor output, int place) {
    Tensor whole = output.tensor();
    if (whole.shape().rank() == 0 || whole.shape().dim(0) != count) {
      return Optional.of(
          "its output '%s' has the shape %s for %d rows"
              .formatted(output.name(), whole.shape(), count));
    }
    try (var shared = new SharedTensor(whole.copy())) {
      for (int i = 0; i < count; i++) {
        Tensor own = alone.get(i).get(place).tensor();
        try (Tensor row = rows.cut(output.name(), shared.next(1), lengths.get(i))) {
          if (!areSame(own, row)) {
            return Optional.of(changed(output.name(), lengths.get(i), own, lengths, row));
          }
        }
      }
    }
    return Optional.empty();
  }

  private static boolean areSame(Tensor own, Tensor row) {
    if (!own.shape().equals(row.shape())) {
      return false;
    }
    return own.type().isFloat()
        ? FloatValues.areNear(row, own, tolerance(own.type()))
        : own.data().mismatch(row.data()) < 0;
  }

  /** Other sizes are computed in another order, so that results differ in their last digits. */
  private static double tolerance(DataType type) {
    return type == DataType.FP32 || type == DataType.FP64 ? 1e-4 : 1e-2;
  }

  private static String changed(
      String output, int length, Tensor own, List<Integer> lengths, Tensor row) {
    String where =
        "its output '%s' for a row of length %d is another once that is padded to %d"
            .formatted(output, length, lengths.getFirst());
    return own.shape().equals(row.shape())
        ? where
        : where
            + ": the shape is %s in place of %s; wanted one that does not change, or the dimension"
                .formatted(row.shape(), own.shape())
            + " under ragged.outputs";
  }
}
