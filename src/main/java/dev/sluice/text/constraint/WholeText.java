package dev.sluice.text.constraint;

import java.util.BitSet;

/** A text that a constraint holds for from its beginning to its end. */
final class WholeText implements ConstrainedText {
  private final Constraint constraint;
  private final Runnable release;
  private int state = ByteAutomaton.START;
  private boolean closed;

  /**
   * @param release called once, when the constraint is needed no more
   */
  WholeText(Constraint constraint, Runnable release) {
    this.constraint = constraint;
    this.release = release;
  }

  @Override
  public BitSet following() {
    return constraint.following(state);
  }

  @Override
  public boolean mayEnd() {
    return constraint.accepts(state);
  }

  @Override
  public boolean isComplete() {
    return constraint.isLast(state);
  }

  @Override
  public boolean append(int token) {
    int next = constraint.step(state, token);
    if (next == ByteAutomaton.DEAD) {
      return false;
    }
    state = next;
    return true;
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      release.run();
    }
  }
}
