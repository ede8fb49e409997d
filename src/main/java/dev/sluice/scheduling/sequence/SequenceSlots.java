package dev.sluice.scheduling.sequence;

import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * How many sequences each instance has, and which wait for one to end. Guarded by its scheduler.
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

  /** Gives a new sequence to the instance that has the fewest, or lets it stand in line. */
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
   * @return who gets it, the first in line; null if nobody waits
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
