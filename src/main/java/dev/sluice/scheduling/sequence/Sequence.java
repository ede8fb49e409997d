package dev.sluice.scheduling.sequence;

import dev.sluice.inference.ParameterValue;
import dev.sluice.inference.access.Caller;
import dev.sluice.tensor.NamedTensor;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;

/**
 * A sequence under way, or waiting for its turn. Guarded by its scheduler, except for its state:
 * that belongs to the step that runs.
 */
final class Sequence {
  private static final int NONE = -1;

  /**
   * The key of a sequence.
   *
   * @param identity whose it is
   * @param id what its owner calls it
   */
  record Key(String identity, ParameterValue id) {}

  private final Key key;
  private final Caller caller;
  private final Queue<SequenceRequest> waiting = new ArrayDeque<>(2);

  /** The instance that its requests go to. */
  int lane = NONE;

  /** True while it takes requests that do not start it anew. */
  boolean open;

  boolean running;

  /** How often it was started. */
  private int starts;

  /** Which of the starts its state is of; 0: none. Belongs to the step that runs, as that does. */
  private int begun;

  /** The time of its last request. */
  long lastNanos;

  private List<NamedTensor> state = List.of();

  /**
   * @param caller who began it
   */
  Sequence(Key key, Caller caller) {
    this.key = key;
    this.caller = caller;
  }

  Key key() {
    return key;
  }

  /** Returns the caller that started it. */
  Caller caller() {
    return caller;
  }

  Queue<SequenceRequest> waiting() {
    return waiting;
  }

  /** Puts a step behind the others. */
  void add(SequenceRequest step) {
    starts += step.place().start() ? 1 : 0;
    step.belongsTo(starts);
    open = !step.place().end();
    waiting.add(step);
  }

  /** Begins with the state of a first step, the sequence's from now on. By the step that runs. */
  void begin(SequenceRequest step, List<NamedTensor> first) {
    replaceState(first);
    begun = step.start();
  }

  /** Returns whether a step goes on from the state that is kept. By the step that runs. */
  boolean hasBegun(SequenceRequest step) {
    return step.start() == begun;
  }

  boolean hasLane() {
    return lane != NONE;
  }

  /** Nothing runs, nothing waits, nothing may come. */
  boolean isOver() {
    return !open && isSilent();
  }

  /** Nothing runs and nothing waits. */
  boolean isSilent() {
    return !running && waiting.isEmpty();
  }

  List<NamedTensor> state() {
    return state;
  }

  /** Frees the state and owns another from now on. */
  void replaceState(List<NamedTensor> next) {
    NamedTensor.closeAll(state);
    state = next;
  }

  void freeState() {
    replaceState(List.of());
  }
}
