package dev.sluice.protocol.tfs;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.Signature;
import dev.sluice.protocol.v1.TensorflowTypeNames;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Outputs of labels and scores, one of which may be missing.
 *
 * @param labels the name of the output of labels
 * @param scores the name of the output of scores
 * @param strict whether they must be matrices of strings and of floats, as TensorFlow Serving has
 *     it; else labels may be integers, scores wider or narrower, and each a single one per example
 */
record ClassificationHead(@Nullable String labels, @Nullable String scores, boolean strict)
    implements Head {
  @Override
  public List<String> outputs() {
    return Stream.of(labels, scores).flatMap(Stream::ofNullable).toList();
  }

  @Override
  public Head inJoint(Signature own) {
    return new ClassificationHead(
        labels == null ? null : Head.nativeName(own, labels),
        scores == null ? null : Head.nativeName(own, scores),
        strict);
  }

  @Override
  public ClassificationResults read(List<NamedTensor> outputs, long examples) {
    Tensor labelled = labels == null ? null : Head.find(outputs, labels);
    Tensor scored = scores == null ? null : Head.find(outputs, scores);
    if (labelled != null) {
      checkLabels(labelled, examples);
    }
    if (scored != null) {
      checkScores(scored, examples);
    }
    if (labelled != null && scored != null && !isBestOfMany(labelled, scored)) {
      checkWidths(width(labelled), width(scored));
    }
    return new ClassificationResults(labelled, scored, Math.toIntExact(examples));
  }

  private void checkLabels(Tensor labelled, long examples) {
    checkShape(labelled.shape());
    if (labelled.type() != DataType.BYTES && (strict || !labelled.type().isInteger())) {
      throw InferenceException.invalid(
          "Expected classes Tensor of DT_STRING. Got: "
              + TensorflowTypeNames.constant(labelled.type()));
    }
    checkRows("classes", labelled.shape(), examples);
  }

  private void checkScores(Tensor scored, long examples) {
    checkShape(scored.shape());
    if (strict ? scored.type() != DataType.FP32 : !scored.type().isFloat()) {
      throw InferenceException.invalid(
          "Expected scores Tensor of DT_FLOAT. Got: "
              + TensorflowTypeNames.constant(scored.type()));
    }
    checkRows("scores", scored.shape(), examples);
  }

  private void checkShape(Shape shape) {
    if (shape.rank() != 2 && (strict || shape.rank() != 1)) {
      throw InferenceException.invalid(
          "Expected Tensor shape: [batch_size num_classes] but got " + shape);
    }
  }

  private static void checkRows(String what, Shape shape, long examples) {
    if (shape.dim(0) != examples) {
      throw InferenceException.invalid(
          "Expected " + what + " output batch size of " + examples + ". Got: " + shape.dim(0));
    }
  }

  private static void checkWidths(long labels, long scores) {
    if (labels != scores) {
      throw InferenceException.invalid(
          "Tensors class and score should match in dim_size(1). Got " + labels + " vs. " + scores);
    }
  }

  /**
   * Returns whether there is one label for each example, and scores for all the classes it could
   * have.
   */
  private boolean isBestOfMany(Tensor labelled, Tensor scored) {
    return !strict && width(labelled) == 1 && width(scored) > 1;
  }

  /** Returns how many classes a tensor of labels or scores has for each example. */
  static long width(Tensor tensor) {
    return tensor.shape().rank() == 1 ? 1 : tensor.shape().dim(1);
  }
}
