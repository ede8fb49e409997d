package dev.sluice.scheduling.generator;

import dev.sluice.config.model.GeneratorConfig;
import dev.sluice.config.model.GeneratorConfig.Penalties;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.text.constraint.ConstrainedText;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** The choice of each row of a stream, and the rows that have ended. */
final class TokenSelection {
  private final String output;
  private final DataType type;
  private final Shape shape;
  private final TokenSampler chooser;
  private final List<Integer> stops;
  private final BitSet stopped;
  private final int[] chosen;

  /** How many of the likeliest tokens are wanted; empty if no log-probabilities are. */
  private final OptionalInt logProbs;

  /** Those of the last choice of the first row. */
  private @Nullable TokenLogProbs lastLogProbs;

  private final @Nullable ConstrainedText constraint;

  /** Of each row; empty if there are no penalties. */
  private final List<TokenCounts> before;

  /**
   * @param prompt what the input that it goes to begins with; borrowed
   * @param logProbs how many of the likeliest tokens are wanted; empty: no log-probabilities
   * @param constraint on the text of the only row, borrowed; null if there is none
   */
  TokenSelection(
      GeneratorConfig.Next next,
      List<Integer> stops,
      Tensor prompt,
      int rows,
      OptionalInt logProbs,
      @Nullable ConstrainedText constraint) {
    this.logProbs = logProbs;
    this.constraint = constraint;
    this.output = next.from();
    this.type = prompt.type();
    this.shape = shape(prompt.shape().rank(), rows);
    this.before =
        next.sampling().penalties().equals(Penalties.NONE) ? List.of() : counts(prompt, rows);
    this.chooser = new TokenSampler(next.sampling());
    this.stops = stops;
    this.stopped = new BitSet(rows);
    this.chosen = new int[rows];
  }

  private static List<TokenCounts> counts(Tensor prompt, int rows) {
    var counts = new ArrayList<TokenCounts>(rows);
    long perRow = prompt.elementCount() / rows;
    for (int row = 0; row < rows; row++) {
      var counted = new TokenCounts();
      for (long i = row * perRow; i < (row + 1) * perRow; i++) {
        counted.addPrompt(token(prompt, i));
      }
      counts.add(counted);
    }
    return counts;
  }

  /** Returns a token of an input that takes INT64 or INT32; negative if no token has its number. */
  private static int token(Tensor prompt, long index) {
    long token =
        prompt.type() == DataType.INT64
            ? prompt.data().getAtIndex(ValueLayout.JAVA_LONG, index)
            : prompt.data().getAtIndex(ValueLayout.JAVA_INT, index);
    return token == (int) token ? (int) token : -1;
  }

  private static Shape shape(int rank, int rows) {
    var dims = new long[rank];
    Arrays.fill(dims, 1);
    if (rank > 0) {
      dims[0] = rows;
    }
    return Shape.of(dims);
  }

  /**
   * Chooses for each row.
   *
   * @param logits borrowed: {@code [rows, candidates]}, or with a dimension between them of which
   *     the last one counts
   * @throws InferenceException if they are of another shape
   */
  void choose(Tensor logits) {
    Shape given = logits.shape();
    int rank = given.rank();
    long count = rank == 0 ? 0 : given.dim(rank - 1);
    long all = given.elementCount();
    if (count == 0 || count > Integer.MAX_VALUE || all % (count * chosen.length) != 0) {
      throw new InferenceException(
          ErrorCode.INTERNAL,
          "output %s has shape %s; wanted candidates for %d rows"
              .formatted(output, given, chosen.length));
    }
    long perRow = all / chosen.length;
    for (int row = 0; row < chosen.length; row++) {
      chosen[row] = choose(logits, (row + 1) * perRow - count, (int) count, row);
      if (stops.contains(chosen[row])) {
        stopped.set(row);
      }
    }
    if (logProbs.isPresent()) {
      lastLogProbs =
          TokenLogProbs.of(logits, perRow - count, (int) count, chosen[0], logProbs.getAsInt());
    }
  }

  /** Returns how many rows have not ended: each is given a token by the next choice. */
  int openRows() {
    return chosen.length - stopped.cardinality();
  }

  /** Returns the log-probabilities of the first row's last choice; null if none are wanted. */
  @Nullable TokenLogProbs logProbs() {
    return lastLogProbs;
  }

  private int choose(Tensor logits, long from, int count, int row) {
    TokenCounts counts = before.isEmpty() ? null : before.get(row);
    int token =
        constraint == null
            ? chooser.choose(logits, from, count, counts)
            : constrained(constraint, logits, from, count, counts);
    if (counts != null) {
      counts.addChosen(token);
    }
    return token;
  }

  private int constrained(
      ConstrainedText text, Tensor logits, long from, int count, @Nullable TokenCounts counts) {
    BitSet following = text.following();
    if (following == null) {
      int token = chooser.choose(logits, from, count, counts);
      if (mayFollow(text, token)) {
        return token;
      }
      following = new BitSet(count);
      following.set(0, count);
      following.clear(token);
    } else {
      boolean mayEnd = text.mayEnd();
      for (int stop : stops) {
        following.set(stop, mayEnd);
      }
      following.clear(count, Math.max(count, following.length()));
    }
    return chosen(text, following, logits, from, count, counts);
  }

  /** Chooses among some tokens until one may follow. */
  private int chosen(
      ConstrainedText text,
      BitSet among,
      Tensor logits,
      long from,
      int count,
      @Nullable TokenCounts counts) {
    while (!among.isEmpty()) {
      int token = chooser.choose(logits, from, count, counts, among);
      if (mayFollow(text, token)) {
        return token;
      }
      among.clear(token);
    }
    throw InferenceException.invalid(
        "no token that the model chooses among goes on with a text of the constraint");
  }

  /** Appends a token if it may follow, unless it ends the text. */
  private boolean mayFollow(ConstrainedText text, int token) {
    return stops.contains(token) || text.append(token);
  }

  /** Returns whether the constraint lets nothing follow. */
  boolean isComplete() {
    return constraint != null && constraint.isComplete();
  }

  /** Returns whether every row has met a token that ends it. */
  boolean isOver() {
    return stopped.cardinality() == chosen.length;
  }

  /** Returns the choice of the first row. */
  int first() {
    return chosen[0];
  }

  /** Returns the choices in the form of the input that they go to. The caller's. */
  Tensor toTensor() {
    Tensor tensor = Tensor.allocate(type, shape);
    for (int row = 0; row < chosen.length; row++) {
      if (type == DataType.INT64) {
        tensor.data().setAtIndex(ValueLayout.JAVA_LONG, row, chosen[row]);
      } else {
        tensor.data().setAtIndex(ValueLayout.JAVA_INT, row, chosen[row]);
      }
    }
    return tensor;
  }
}
