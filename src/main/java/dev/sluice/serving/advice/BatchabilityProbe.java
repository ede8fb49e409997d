package dev.sluice.serving.advice;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.Signature;
import dev.sluice.runtime.ModelSession;
import dev.sluice.runtime.RunTimeBasis;
import dev.sluice.serving.ragged.SyntheticRows;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.ToDoubleBiFunction;
import java.util.stream.IntStream;

/**
 * Tries on made-up rows whether a model answers a row alike whatever stands beside it, which is
 * what joining requests relies on, and how much time joining saves. For models that no other caller
 * uses meanwhile; one thread.
 */
final class BatchabilityProbe {
  static final int ROWS = 32;

  /** Other sizes are computed in another order, so that results differ in their last digits. */
  private static final double RELATIVE = 1e-3;

  private static final double ABSOLUTE = 1e-5;

  private static final int LEAST_ROUNDS = 5;

  /** More rounds while there is time: the first ones run code that is not compiled yet. */
  private static final int MOST_ROUNDS = 200;

  private static final long MOST_NANOS = 500_000_000;

  /** Time to wake another thread: shorter runs are better done where they are read. */
  private static final long WAKING_NANOS = 20_000;

  /** Below this joining is not worth a setting. */
  private static final double WORTH = 1.2;

  private final ModelSession session;
  private final Signature signature;
  private final SyntheticRows rows;
  private final LongSupplier nanoTime;

  private BatchabilityProbe(ModelSession session, Signature signature, LongSupplier nanoTime) {
    this.session = session;
    this.signature = signature;
    this.rows = new SyntheticRows(signature);
    this.nanoTime = nanoTime;
  }

  /**
   * Returns advice on a model's rows; empty if requests are joined already, or rows cannot be
   * distinguished or made up.
   */
  static Optional<String> advice(
      ModelSession session, ModelMetadata metadata, LongSupplier nanoTime) {
    Optional<Signature> signature =
        metadata
            .signature("")
            .filter(_ -> metadata.maxBatchSize() == 0)
            .filter(BatchabilityProbe::hasRows);
    return signature.map(s -> new BatchabilityProbe(session, s, nanoTime).run());
  }

  private static boolean hasRows(Signature signature) {
    return !signature.inputs().isEmpty()
        && signature.inputs().stream().allMatch(i -> i.optional() || SyntheticRows.canBeMadeUp(i))
        && signature.supportedOutputs().stream().allMatch(SyntheticRows::isOpen);
  }

  private String run() {
    try {
      return areIndependent()
          ? independent()
          : "rows depend on each other: do not join requests, leave max_batch_size at 0";
    } catch (InferenceException e) {
      return "rows could not be tried, the model refuses made-up ones: " + e.getMessage();
    }
  }

  private boolean areIndependent() {
    int[] order = IntStream.range(0, ROWS).toArray();
    int[] reversed = IntStream.range(0, ROWS).map(i -> ROWS - 1 - i).toArray();
    List<NamedTensor> together = outputs(order);
    List<NamedTensor> turned = List.of();
    try {
      turned = outputs(reversed);
      boolean alike = true;
      for (int i = 0; i < ROWS && alike; i++) {
        alike = sameRow(together, i, turned, ROWS - 1 - i) && sameAlone(together, i);
      }
      return alike;
    } finally {
      NamedTensor.closeAll(together);
      NamedTensor.closeAll(turned);
    }
  }

  private boolean sameAlone(List<NamedTensor> together, int row) {
    List<NamedTensor> alone = outputs(row);
    try {
      return sameRow(together, row, alone, 0);
    } finally {
      NamedTensor.closeAll(alone);
    }
  }

  private List<NamedTensor> outputs(int... numbers) {
    List<NamedTensor> inputs = rows.inputs(numbers);
    try {
      return session.run(signature, inputs, signature.supportedOutputs());
    } finally {
      NamedTensor.closeAll(inputs);
    }
  }

  private static boolean sameRow(
      List<NamedTensor> one, int oneRow, List<NamedTensor> other, int otherRow) {
    for (int i = 0; i < one.size(); i++) {
      Tensor left = one.get(i).tensor();
      Tensor right = other.get(i).tensor();
      if (!same(left.type(), row(left, oneRow), row(right, otherRow))) {
        return false;
      }
    }
    return true;
  }

  /** Returns a row's bytes; none if the tensor has no such row. */
  private static MemorySegment row(Tensor tensor, int row) {
    long count = tensor.shape().rank() == 0 ? 0 : tensor.shape().dim(0);
    if (row >= count || !tensor.type().isFixedSize()) {
      return MemorySegment.NULL;
    }
    long bytes = tensor.byteSize() / count;
    return tensor.data().asSlice(row * bytes, bytes);
  }

  private static boolean same(DataType type, MemorySegment left, MemorySegment right) {
    if (left.byteSize() != right.byteSize() || left.byteSize() == 0) {
      return false;
    }
    return switch (type) {
      case FP32 ->
          areNear(
              left, right, Float.BYTES, (in, at) -> in.get(ValueLayout.JAVA_FLOAT_UNALIGNED, at));
      case FP64 ->
          areNear(
              left, right, Double.BYTES, (in, at) -> in.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, at));
      default -> left.mismatch(right) < 0;
    };
  }

  private static boolean areNear(
      MemorySegment left,
      MemorySegment right,
      int size,
      ToDoubleBiFunction<MemorySegment, Long> number) {
    boolean near = true;
    for (long at = 0; at < left.byteSize(); at += size) {
      near &= isNear(number.applyAsDouble(left, at), number.applyAsDouble(right, at));
    }
    return near;
  }

  private static boolean isNear(double left, double right) {
    return Double.compare(left, right) == 0
        || Math.abs(left - right)
            <= ABSOLUTE + RELATIVE * Math.max(Math.abs(left), Math.abs(right));
  }

  private String independent() {
    Times times = measure();
    String saved = String.format(Locale.ROOT, "%.1f", times.speedUp());
    String joining =
        times.speedUp() < WORTH
            ? "rows are independent, but joining requests saves nothing: "
                + ROWS
                + " at once are "
                + saved
                + " times as fast as one by one"
            : "rows are independent; "
                + ROWS
                + " at once are "
                + saved
                + " times as fast as one by one: max_batch_size: "
                + ROWS
                + " in model.yml would help";
    return joining + inline(times.alone() / ROWS);
  }

  /** Returns advice where event loops do not run what is short by themselves. */
  private String inline(long nanos) {
    return nanos >= WAKING_NANOS || session.runTimeBasis() != RunTimeBasis.VALUES
        ? ""
        : String.format(
            Locale.ROOT,
            "; one takes %.1f us, less than waking a worker: inline_limit: 50us would help",
            nanos / 1e3);
  }

  /**
   * The times of all rows.
   *
   * @param together in one run
   * @param alone in a run each, added up
   */
  private record Times(long together, long alone) {
    double speedUp() {
      return (double) alone / Math.max(1, together);
    }
  }

  /**
   * Returns the best of some rounds each, in turn, so that what else the machine does hits both.
   */
  private Times measure() {
    int[] all = IntStream.range(0, ROWS).toArray();
    long together = Long.MAX_VALUE;
    long alone = Long.MAX_VALUE;
    long until = nanoTime.getAsLong() + MOST_NANOS;
    for (int round = 0; round < MOST_ROUNDS && isOpen(round, until); round++) {
      together = Math.min(together, time(all));
      long sum = 0;
      for (int row : all) {
        sum += time(row);
      }
      alone = Math.min(alone, sum);
    }
    return new Times(together, alone);
  }

  private boolean isOpen(int round, long until) {
    return round < LEAST_ROUNDS || nanoTime.getAsLong() - until < 0;
  }

  /** Returns the time of the run alone, without that of making rows up. */
  private long time(int... numbers) {
    List<NamedTensor> inputs = rows.inputs(numbers);
    try {
      long start = nanoTime.getAsLong();
      NamedTensor.closeAll(session.run(signature, inputs, signature.supportedOutputs()));
      return nanoTime.getAsLong() - start;
    } finally {
      NamedTensor.closeAll(inputs);
    }
  }
}
