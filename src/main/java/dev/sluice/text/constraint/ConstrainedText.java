package dev.sluice.text.constraint;

import java.util.BitSet;

/**
 * One text on its way through a constraint. Uses the compiled constraint until it is closed. One
 * thread at a time.
 */
public final class ConstrainedText implements AutoCloseable {
  private final Constraint constraint;
  private final Runnable release;
  private int state = ByteAutomaton.START;
  private boolean closed;

  /**
   * @param release called once, when the constraint is needed no more
   */
  ConstrainedText(Constraint constraint, Runnable release) {
    this.constraint = constraint;
    this.release = release;
  }

  /** Returns the tokens that may follow; the caller's. */
  public BitSet following() {
    return constraint.following(state);
  }

  /** Returns whether the text may end here. */
  public boolean mayEnd() {
    return constraint.accepts(state);
  }

  /** Returns whether the text has to end here: nothing may follow. */
  public boolean isComplete() {
    return constraint.isLast(state);
  }

  /**
   * Appends one of the tokens that may follow.
   *
   * @throws IllegalArgumentException if it may not; nothing changes
   */
  public void append(int token) {
    int next = constraint.step(state, token);
    if (next == ByteAutomaton.DEAD) {
      throw new IllegalArgumentException("token " + token + " may not follow");
    }
    state = next;
  }

  /** Ends the use of the constraint. Idempotent. */
  @Override
  public void close() {
    if (!closed) {
      closed = true;
      release.run();
    }
  }
}
