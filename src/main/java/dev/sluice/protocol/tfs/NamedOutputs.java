package dev.sluice.protocol.tfs;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.Signature;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.TensorSpec;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The heads of models that know nothing of TensorFlow Serving's agreements: labels and scores are
 * recognised by the names that converters give them, and a value as the only output.
 */
final class NamedOutputs {
  private static final List<String> LABELS =
      List.of("label", "labels", "output_label", "class", "classes", "predicted_label");

  private static final List<String> SCORES =
      List.of(
          "probabilities", "probability", "output_probability", "scores", "score", "output_score");

  /** Behind the name of scores: the output that says which classes they are of. */
  private static final String CLASSES_OF = "_classes";

  private NamedOutputs() {}

  static Head head(ExampleTask task, Signature signature) {
    FeatureColumns.check(task, signature);
    return task == ExampleTask.CLASSIFY ? classes(signature) : value(signature);
  }

  private static Head classes(Signature signature) {
    String scores = find(signature, SCORES, DataType::isFloat);
    String labels = find(signature, LABELS, type -> type == DataType.BYTES || type.isInteger());
    if (scores == null && labels == null) {
      throw InferenceException.invalid(
          "the model cannot classify: none of its outputs %s has labels (%s) or scores (%s)"
              .formatted(names(signature), String.join(", ", LABELS), String.join(", ", SCORES)));
    }
    if (scores != null && signature.output(scores + CLASSES_OF).isPresent()) {
      return new ClassificationHead(scores + CLASSES_OF, scores, false);
    }
    return new ClassificationHead(labels, scores, false);
  }

  private static @Nullable String find(
      Signature signature, List<String> names, Predicate<DataType> type) {
    for (TensorSpec output : signature.outputs()) {
      if (names.contains(output.name().toLowerCase(Locale.ROOT)) && type.test(output.type())) {
        return output.name();
      }
    }
    return null;
  }

  private static Head value(Signature signature) {
    if (signature.outputs().size() != 1 || !isValue(signature.outputs().getFirst())) {
      throw InferenceException.invalid(
          "the model cannot regress: it has outputs %s, wanted one of numbers, [n] or [n,1]"
              .formatted(names(signature)));
    }
    return new RegressionHead(signature.outputs().getFirst().name(), false);
  }

  private static boolean isValue(TensorSpec output) {
    int rank = output.shape().rank();
    return NumericElements.isNumber(output.type())
        && (!output.shape().isRankKnown() || rank == 1 || (rank == 2 && hasOneColumn(output)));
  }

  private static boolean hasOneColumn(TensorSpec output) {
    return output.shape().dim(1) == 1 || output.shape().dim(1) < 0;
  }

  private static String names(Signature signature) {
    return signature.outputs().stream()
        .map(output -> output.name() + " " + output.type() + output.shape())
        .collect(Collectors.joining(", "));
  }
}
