package dev.sluice.serving.explain;

import dev.sluice.inference.BoundedText;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.Signature;
import dev.sluice.inference.explain.ExplainParameters;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorSpec;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Predicate;

/**
 * The number of each prediction that is explained: one output, and a column of it per instance.
 *
 * <p>Without a name the output is the first one of fractions; without a column each instance's is
 * the largest number of its prediction, as a classifier's answer is read.
 */
final class Target {
  private final String output;
  private final int[] columns;
  private final double[] predicted;

  private Target(String output, int[] columns, double[] predicted) {
    this.output = output;
    this.columns = columns;
    this.predicted = predicted;
  }

  /**
   * Returns the output that is meant.
   *
   * @param name its name; empty: the first one with fractions, or else with numbers
   * @throws InferenceException with INVALID_ARGUMENT if there is none of that name, or of numbers;
   *     with UNIMPLEMENTED if none was named
   */
  static String output(Signature signature, String name) {
    if (!name.isEmpty()) {
      TensorSpec named =
          signature
              .output(name)
              .orElseThrow(() ->
                  InferenceException.invalid(
                      "the model has no output \"" + BoundedText.cut(name, 100) + "\""));
      if (!DoubleElements.isNumeric(named.type())) {
        throw InferenceException.invalid(
            "output \"" + name + "\" is of type " + named.type() + "; only numbers are explained");
      }
      return name;
    }
    return first(signature, spec -> spec.type().isFloat())
        .or(() -> first(signature, spec -> spec.type().isInteger()))
        .orElseThrow(() ->
            new InferenceException(
                ErrorCode.UNIMPLEMENTED, "the model has no output of numbers to explain"))
        .name();
  }

  private static Optional<TensorSpec> first(Signature signature, Predicate<TensorSpec> wanted) {
    return signature.outputs().stream().filter(wanted).findFirst();
  }

  /** Chooses the columns from the predictions, which it borrows. */
  static Target choose(
      InferenceResponse predictions, String output, int instances, ExplainParameters parameters) {
    Tensor tensor = find(predictions, output);
    int width = width(tensor, output, instances);
    OptionalInt wanted = parameters.column();
    if (wanted.isPresent() && (wanted.getAsInt() < 0 || wanted.getAsInt() >= width)) {
      throw InferenceException.invalid(
          "output \"%s\" has %d columns, from 0 on; there is no column %d"
              .formatted(output, width, wanted.getAsInt()));
    }
    int[] columns = new int[instances];
    double[] predicted = new double[instances];
    for (int i = 0; i < instances; i++) {
      columns[i] = wanted.isPresent() ? wanted.getAsInt() : largest(tensor, i, width);
      predicted[i] =
          DoubleElements.get(tensor.data(), tensor.type(), (long) i * width + columns[i]);
    }
    return new Target(output, columns, predicted);
  }

  static Tensor find(InferenceResponse response, String output) {
    for (NamedTensor each : response.outputs()) {
      if (each.name().equals(output)) {
        return each.tensor();
      }
    }
    throw new InferenceException(ErrorCode.INTERNAL, "the model did not give \"" + output + "\"");
  }

  /** Returns how many numbers a row of an output has. */
  static int width(Tensor tensor, String output, int rows) {
    if (tensor.shape().rank() == 0 || tensor.shape().dim(0) != rows || tensor.elementCount() == 0) {
      throw new InferenceException(
          ErrorCode.UNIMPLEMENTED,
          "output \"%s\" has shape %s for %d instances; only outputs with a row for each are explained"
              .formatted(output, tensor.shape(), rows));
    }
    return Math.toIntExact(tensor.elementCount() / rows);
  }

  private static int largest(Tensor tensor, int row, int width) {
    int largest = 0;
    double most = Double.NEGATIVE_INFINITY;
    for (int column = 0; column < width; column++) {
      double value = DoubleElements.get(tensor.data(), tensor.type(), (long) row * width + column);
      if (value > most) {
        most = value;
        largest = column;
      }
    }
    return largest;
  }

  String output() {
    return output;
  }

  int column(int instance) {
    return columns[instance];
  }

  double predicted(int instance) {
    return predicted[instance];
  }
}
