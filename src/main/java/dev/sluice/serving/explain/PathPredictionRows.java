package dev.sluice.serving.explain;

import dev.sluice.inference.explain.Attribution;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The rows between the baseline and each instance, pair after pair, instance after instance, and
 * what comes of their answers. Every instance sees the same random orders, whatever stands beside
 * it; the baseline's rows take turns.
 */
final class PathPredictionRows implements PredictionRows {
  private final Instances instances;
  private final BaselineRows baseline;
  private final Target target;
  private final BaselinePredictionRows ends;
  private final int samples;
  private final long seed;
  private final Deque<PermutationPair> asked = new ArrayDeque<>();
  private final List<Attribution> attributions = new ArrayList<>();
  private SplittableRandom random;
  private RunningMean tally;
  private int drawn;
  private int consumed;

  PathPredictionRows(
      Instances instances,
      BaselineRows baseline,
      Target target,
      BaselinePredictionRows ends,
      int samples,
      long seed) {
    this.instances = instances;
    this.baseline = baseline;
    this.target = target;
    this.ends = ends;
    this.samples = samples;
    this.seed = seed;
    this.random = new SplittableRandom(seed);
    this.tally = new RunningMean(instances.elements());
    passOneElementRows();
  }

  /** Between the ends of rows with one element there is nothing to ask. */
  private void passOneElementRows() {
    while (instances.elements() == 1 && drawn < total()) {
      asked.add(draw());
      tell();
    }
  }

  private int total() {
    return instances.count() * samples;
  }

  private PermutationPair draw() {
    if (drawn % samples == 0) {
      random = new SplittableRandom(seed);
    }
    DataType type = instances.spec().type();
    long bytes = instances.rowBytes();
    long background = drawn % samples % baseline.rows();
    MemorySegment from = baseline.data().asSlice(background * bytes, bytes);
    long instance = drawn / samples;
    drawn++;
    return new PermutationPair(
        from, instances.tensor().data().asSlice(instance * bytes, bytes), type, random);
  }

  @Override
  public boolean hasNext() {
    return drawn < total() || (!asked.isEmpty() && !asked.getLast().isWritten());
  }

  @Override
  public void write(MemorySegment row) {
    if (asked.isEmpty() || asked.getLast().isWritten()) {
      asked.add(draw());
    }
    asked.getLast().write(row);
  }

  @Override
  public void answered(Tensor output, int row, int width) {
    long element = (long) row * width + target.column(consumed / samples);
    asked.getFirst().answer(DoubleElements.get(output.data(), output.type(), element));
    if (asked.getFirst().isAnswered()) {
      tell();
    }
  }

  private void tell() {
    int instance = consumed / samples;
    double start = ends.value(instance, consumed % samples % baseline.rows());
    asked.removeFirst().addTo(tally, start, target.predicted(instance));
    consumed++;
    if (consumed % samples == 0) {
      attributions.add(
          new Attribution(
              target.output(),
              target.column(instance),
              ends.mean(instance),
              target.predicted(instance),
              tally.means(),
              tally.errors()));
      tally = new RunningMean(instances.elements());
    }
  }

  /** Returns one for each instance, once everything is answered. */
  List<Attribution> attributions() {
    return attributions;
  }
}
