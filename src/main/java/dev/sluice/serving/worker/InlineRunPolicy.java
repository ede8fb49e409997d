package dev.sluice.serving.worker;

import dev.sluice.scheduling.queue.PendingRequest;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import java.util.List;

/**
 * Decides which batches run inline on an event loop: those no larger than one that took a short
 * time the last time that its size, or a larger one, was run. So a new model begins with none. A
 * run that took long sends the next ones of its size to the worker, until some in a row were short
 * there: the more, the oftener that has happened of late, so that no one who finds out how to make
 * runs long holds up event loops often. Used by one thread at a time.
 */
final class InlineRunPolicy {
  /** The size of a batch of which bytes do not say how long it runs. */
  static final long UNKNOWN = Long.MAX_VALUE;

  private static final long NONE = -1;

  /** Short runs on the worker that follow a long one on an event loop, at first and at most. */
  private static final int LEAST_PROBATION = 8;

  private static final int MOST_PROBATION = 1024;

  /** Short runs on event loops after which half as many are wanted. */
  private static final int FORGIVING = 64;

  private final long limitNanos;
  private final boolean equalRows;
  private long shortBytes = NONE;
  private int probation;
  private int onProbation;
  private int asExpected;

  InlineRunPolicy(InlineLimit limit) {
    this.limitNanos = limit.longest().toNanos();
    this.equalRows = limit.equalRows();
  }

  /** Returns the size of a batch's inputs, by which batches are compared. */
  long size(List<PendingRequest> members) {
    long bytes = 0;
    for (int i = 0; i < members.size(); i++) {
      List<NamedTensor> inputs = members.get(i).request().inputs();
      if (equalRows && !haveEqualRows(inputs)) {
        return UNKNOWN;
      }
      for (int k = 0; k < inputs.size(); k++) {
        bytes += inputs.get(k).tensor().byteSize();
      }
    }
    return bytes;
  }

  private static boolean haveEqualRows(List<NamedTensor> inputs) {
    for (int i = 1; i < inputs.size(); i++) {
      if (rows(inputs.get(i)) != rows(inputs.getFirst())) {
        return false;
      }
    }
    return true;
  }

  private static long rows(NamedTensor input) {
    Shape shape = input.tensor().shape();
    return shape.rank() == 0 ? 0 : shape.dim(0);
  }

  /** Returns whether a batch of this size is expected to run for a short time. */
  boolean holds(long size) {
    return size <= shortBytes;
  }

  /** Learns how long a batch of this size ran. */
  void learn(long size, long nanos) {
    if (nanos > limitNanos) {
      learnLong(size);
    } else if (holds(size)) {
      forgive();
    } else if (size != UNKNOWN && onProbation++ >= probation) {
      shortBytes = size;
      onProbation = 0;
    }
  }

  private void learnLong(long size) {
    onProbation = 0;
    if (holds(size)) {
      shortBytes = size - 1;
      asExpected = 0;
      probation = Math.clamp(probation * 2L, LEAST_PROBATION, MOST_PROBATION);
    }
  }

  private void forgive() {
    if (++asExpected == FORGIVING) {
      asExpected = 0;
      probation = probation > LEAST_PROBATION ? probation / 2 : 0;
    }
  }
}
