package dev.sluice.protocol.tfs;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.Signature;
import java.util.Set;

/**
 * Checks that a signature may be called as a request calls it, where its method name says so: with
 * {@code --enable_signature_method_name_check}, in TensorFlow Serving's words and codes.
 */
public final class MethodNames {
  private static final String PREDICT = "tensorflow/serving/predict";

  private static final Set<String> FOR_PREDICT =
      Set.of(PREDICT, ExampleTask.CLASSIFY.method(), ExampleTask.REGRESS.method());

  private MethodNames() {}

  /**
   * Requires that a signature may be used to predict.
   *
   * @throws InferenceException with INTERNAL, as there, if not
   */
  public static void requirePredict(ModelMetadata model, Signature signature) {
    if (model.methodsBind() && !FOR_PREDICT.contains(signature.method())) {
      throw new InferenceException(
          ErrorCode.INTERNAL,
          "Expected prediction signature method_name to be one of {%s, %s, %s}. Was: %s"
              .formatted(
                  PREDICT,
                  ExampleTask.CLASSIFY.method(),
                  ExampleTask.REGRESS.method(),
                  signature.method()));
    }
  }

  /** Requires that a signature is made for a task. */
  static void require(ExampleTask task, Signature signature) {
    if (!signature.method().equals(task.method())) {
      throw InferenceException.invalid(
          "Expected %s signature method_name to be %s. Was: %s"
              .formatted(task.noun(), task.method(), signature.method()));
    }
  }
}
