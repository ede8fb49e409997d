package dev.sluice.protocol.v1.http.element;

import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.codec.JsonCursor;
import dev.sluice.protocol.codec.JsonCursor.Kind;
import dev.sluice.protocol.codec.JsonError;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorBuilder;
import java.util.Arrays;

/**
 * Reads a scalar or nested lists into a builder. The shape is what the first element of each list
 * shows; all the others must agree.
 */
final class V1ValueReader {
  private static final int UNKNOWN = -1;

  /** Lists in lists. A document may be as deep as that with the object and list around them. */
  private static final int MOST_LISTS = JsonCursor.MAX_DEPTH - 1;

  private static final int LIKELY_LISTS = 4;

  private final JsonCursor in;
  private final ElementReader elements;
  private final TensorBuilder out;

  /** For each level: the length that its first list had, once that is complete. */
  private long[] lengths = new long[LIKELY_LISTS];

  /** For each level: where its open list begins. */
  private int[] starts = new int[LIKELY_LISTS];

  private int rank;

  /** Number of lists that are open. */
  private int open;

  V1ValueReader(JsonCursor in, ElementReader elements, TensorBuilder out) {
    this.in = in;
    this.elements = elements;
    this.out = out;
  }

  /**
   * Reads the next value.
   *
   * @throws InferenceException with INVALID_ARGUMENT if it is ragged or an element is not of the
   *     type
   */
  void read() {
    rank = UNKNOWN;
    open = 0;
    try {
      value();
    } catch (InferenceException e) {
      throw firstMistake(e);
    }
  }

  /** Returns the shape of the value that was read last. */
  Shape shape() {
    return Shape.of(Arrays.copyOf(lengths, rank));
  }

  /** Returns whether the value that was read last has this shape. */
  boolean hasShape(Shape shape) {
    if (shape.rank() != rank) {
      return false;
    }
    for (int i = 0; i < rank; i++) {
      if (shape.dim(i) != lengths[i]) {
        return false;
      }
    }
    return true;
  }

  private void value() {
    if (in.peek() == Kind.ARRAY) {
      list();
      return;
    }
    if (rank == UNKNOWN) {
      rank = open;
    } else if (rank != open) {
      throw wrongLevel();
    }
    elements.read(in, out);
  }

  private InferenceException wrongLevel() {
    return InferenceException.invalid(
        "JSON Value: "
            + elements.dump(in)
            + " found at incorrect level: "
            + (open + 1)
            + " in the JSON DOM. Expected at level: "
            + rank);
  }

  private void list() {
    int level = open;
    grow(level);
    requireListAt(level);
    boolean first = lengths[level] == UNKNOWN;
    starts[level] = in.position();
    in.beginArray();
    open++;
    long count = 0;
    while (in.nextElement()) {
      if (!first && count == lengths[level]) {
        throw wrongLength(level);
      }
      long run = run(first ? Long.MAX_VALUE : lengths[level] - count);
      if (run == 0) {
        value();
        run = 1;
      }
      count += run;
    }
    if (first) {
      complete(level, count);
    } else if (count != lengths[level]) {
      throw wrongLength(level);
    }
    open--;
  }

  private void grow(int level) {
    if (level == MOST_LISTS) {
      throw InferenceException.invalid(JsonError.TOO_DEEP.text());
    }
    if (level == lengths.length) {
      lengths = Arrays.copyOf(lengths, level * 2);
      starts = Arrays.copyOf(starts, level * 2);
    }
  }

  /** Reads numbers in a row, if they may be at this level. */
  private long run(long most) {
    if (rank != UNKNOWN && rank != open) {
      return 0;
    }
    long run = elements.readRun(in, out, most);
    if (run > 0) {
      rank = open;
    }
    return run;
  }

  private void requireListAt(int level) {
    if (rank == UNKNOWN) {
      lengths[level] = UNKNOWN;
    } else if (level >= rank) {
      throw InferenceException.invalid(
          "Encountered list at unexpected level: " + level + " expected < " + rank);
    }
  }

  private void complete(int level, long count) {
    lengths[level] = count;
    if (rank == UNKNOWN) {
      rank = open;
    }
  }

  private InferenceException wrongLength(int level) {
    return InferenceException.invalid(
        "Encountered list at unexpected size: "
            + lengthOf(level)
            + " at level: "
            + level
            + " expected size: "
            + lengths[level]);
  }

  /**
   * Lists are read before their length is known, so an element's mistake is found before that of a
   * list around it. The list's is the one to report.
   */
  private InferenceException firstMistake(InferenceException found) {
    for (int level = 0; level < open; level++) {
      if (lengths[level] != UNKNOWN && lengthOf(level) != lengths[level]) {
        return wrongLength(level);
      }
    }
    return found;
  }

  private long lengthOf(int level) {
    in.seek(starts[level]);
    in.beginArray();
    long count = 0;
    while (in.nextElement()) {
      in.skipValue();
      count++;
    }
    return count;
  }
}
