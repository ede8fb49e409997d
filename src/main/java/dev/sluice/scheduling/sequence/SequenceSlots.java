package dev.sluice.scheduling.sequence;

import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Sequence slots of each instance, and the sequences that wait for one. Guarded by its scheduler.
 *
 * <p>A sequence keeps its slot until it ends or is idle for too long; new ones go to the instance
 * with the fewest.
 */
final class SequenceSlots {
  private final int[] taken;
  private final int most;
  private final Queue<Sequence> line = new ArrayDeque<>();

  /**
   * @param most sequences of one instance
   */
  SequenceSlots(int instances, int most) {
    this.taken = new int[instances];
    this.most = most;
  }

  /** Gives a new sequence to the instance that has the fewest, or lets it wait. */
  void assign(Sequence sequence) {
    int lane = emptiest();
    if (taken[lane] < most && line.isEmpty()) {
      take(sequence, lane);
    } else {
      line.add(sequence);
    }
  }

  private int emptiest() {
    int lane = 0;
    for (int i = 1; i < taken.length; i++) {
      lane = taken[i] < taken[lane] ? i : lane;
    }
    return lane;
  }

  private void take(Sequence sequence, int lane) {
    sequence.lane = lane;
    taken[lane]++;
  }

  /**
   * Takes a sequence's place away.
   *
   * @return the sequence that gets it, the first that waits; null if none waits
   */
  @Nullable Sequence leave(Sequence sequence) {
    if (!sequence.hasLane()) {
      line.remove(sequence);
      return null;
    }
    taken[sequence.lane]--;
    Sequence next = line.poll();
    if (next != null) {
      take(next, sequence.lane);
    }
    return next;
  }
}
