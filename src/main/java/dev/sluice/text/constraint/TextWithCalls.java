package dev.sluice.text.constraint;

import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * A text in which there may be tool calls. All of it is free but the arguments of strict functions,
 * which follow their schemas.
 *
 * <pre>
 * phase      byte                                       next
 * ---------  -----------------------------------------  ---------
 * Free       the last one of the marker                 Head
 * Head       the last one of a strict function's head   Arguments
 * Head       the last one of another function's head    Other
 * Head       one that no head has there                 Free
 * Arguments  the last one of the call                   Head
 * Other      the last one of the call                   Head
 * </pre>
 *
 * <p>Bytes are kept as the characters of Latin-1.
 */
final class TextWithCalls implements ConstrainedText {
  private final Constraint constraint;
  private final CallHeads heads;
  private final Runnable release;
  private Phase phase;
  private boolean closed;

  private sealed interface Phase {}

  /**
   * @param seen the last bytes, as many as may be a part of the marker
   */
  private record Free(String seen) implements Phase {}

  /**
   * @param seen all bytes since the marker, or since the call before
   * @param behind whether there was a call before
   */
  private record Head(String seen, boolean behind) implements Phase {}

  private record Arguments(int state, JsonDepth depth) implements Phase {}

  private record Other(JsonDepth depth) implements Phase {}

  /**
   * @param constraint on what is behind the brace of a call: its name, and the rest of it
   * @param release called once, when the constraint is needed no more
   */
  TextWithCalls(Constraint constraint, CallHeads heads, Runnable release) {
    this.constraint = constraint;
    this.heads = heads;
    this.release = release;
    this.phase = heads.atStart() ? new Head("", false) : new Free("");
  }

  @Override
  public @Nullable BitSet following() {
    return phase instanceof Arguments(int state, JsonDepth _) ? constraint.following(state) : null;
  }

  @Override
  public boolean mayEnd() {
    return !(phase instanceof Arguments);
  }

  @Override
  public boolean isComplete() {
    return false;
  }

  @Override
  public boolean append(int token) {
    Phase next = phase;
    for (byte each : heads.bytes(token)) {
      next = next(next, each & 0xFF);
      if (next == null) {
        return false;
      }
    }
    phase = next;
    return true;
  }

  /** Returns the phase behind a byte; null if it may not follow. */
  private @Nullable Phase next(Phase from, int value) {
    return switch (from) {
      case Free(String seen) -> free(seen + (char) value);
      case Head(String seen, boolean behind) -> head(seen + (char) value, behind);
      case Arguments(int state, JsonDepth depth) -> arguments(state, depth, value);
      case Other(JsonDepth depth) -> other(depth.next(value));
    };
  }

  private Phase free(String seen) {
    return seen.endsWith(heads.marker()) ? new Head("", false) : new Free(heads.tail(seen));
  }

  private Phase head(String seen, boolean behind) {
    CallHeads.Found found = heads.find(seen, behind);
    return switch (found) {
      case CallHeads.Found.Never() -> free(seen);
      case CallHeads.Found.Perhaps() -> new Head(seen, behind);
      case CallHeads.Found.Call(String begun, JsonDepth depth) -> call(begun, depth);
    };
  }

  /** Begins a call, which is only one of a strict function if the constraint knows its name. */
  private Phase call(String begun, JsonDepth depth) {
    int state = ByteAutomaton.START;
    for (byte each : begun.getBytes(StandardCharsets.ISO_8859_1)) {
      state = constraint.stepByte(state, each & 0xFF);
      if (state == ByteAutomaton.DEAD) {
        return new Other(depth);
      }
    }
    return new Arguments(state, depth);
  }

  private @Nullable Phase arguments(int state, JsonDepth depth, int value) {
    int next = constraint.stepByte(state, value);
    if (next == ByteAutomaton.DEAD) {
      return null;
    }
    JsonDepth then = depth.next(value);
    return then.isEnd() ? new Head("", true) : new Arguments(next, then);
  }

  private static Phase other(JsonDepth depth) {
    return depth.isEnd() ? new Head("", true) : new Other(depth);
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      release.run();
    }
  }
}
