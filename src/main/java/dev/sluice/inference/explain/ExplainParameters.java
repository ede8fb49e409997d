package dev.sluice.inference.explain;

import dev.sluice.tensor.Tensor;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Parameters of a request for explanations; those that it leaves open, the model's settings say.
 * Owns the baseline.
 *
 * @param samples pairs of permutations for each instance
 * @param seed begins the random numbers: the same one, the same answer
 * @param output the name of the output to explain; empty: the first one with fractions, or else
 *     with numbers
 * @param column which element of the output's row; empty: the largest of each prediction
 * @param baseline one row that stands for "nothing known"; null: that of the settings
 */
public record ExplainParameters(
    OptionalInt samples,
    OptionalLong seed,
    String output,
    OptionalInt column,
    @Nullable Tensor baseline)
    implements AutoCloseable {
  /** Leaves everything open. */
  public static final ExplainParameters NONE =
      new ExplainParameters(
          OptionalInt.empty(), OptionalLong.empty(), "", OptionalInt.empty(), null);

  @Override
  public void close() {
    if (baseline != null) {
      baseline.close();
    }
  }
}
