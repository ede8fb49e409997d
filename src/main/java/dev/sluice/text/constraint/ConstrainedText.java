package dev.sluice.text.constraint;

import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * One text on its way through a constraint. Uses the compiled constraint until it is closed. One
 * thread at a time.
 */
public sealed interface ConstrainedText extends AutoCloseable permits WholeText, TextWithCalls {
  /**
   * Returns the tokens that may follow; the caller's.
   *
   * @return null: each that {@link #append} takes, which are nearly all
   */
  @Nullable BitSet following();

  /** Returns whether the text may end here. */
  boolean mayEnd();

  /** Returns whether the text has to end here: nothing may follow. */
  boolean isComplete();

  /**
   * Appends a token.
   *
   * @return whether it may follow; if not, nothing changes
   */
  boolean append(int token);

  /** Ends the use of the constraint. Idempotent. */
  @Override
  void close();
}
