package dev.sluice.protocol.tfs;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.Signature;
import dev.sluice.tensor.TensorSpec;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The heads of SavedModels: one input of examples, outputs of agreed names. What is checked, in
 * which order and with which words is TensorFlow Serving's; the method name is not, as there.
 */
final class SavedModelHeads {
  /** The one input. */
  static final String INPUT = "inputs";

  private static final String CLASSES = "classes";
  private static final String SCORES = "scores";
  private static final String VALUES = "outputs";

  private SavedModelHeads() {}

  static Head of(ExampleTask task, Signature signature) {
    if (signature.inputs().size() != 1) {
      throw InferenceException.invalid("Expected one input Tensor.");
    }
    checkOutputCount(task, signature.outputs().size());
    if (signature.input(INPUT).isEmpty()) {
      throw InferenceException.invalid(
          "No " + task.noun() + " inputs found in SignatureDef: " + dump(signature));
    }
    return task == ExampleTask.CLASSIFY ? classes(signature) : values(signature);
  }

  private static void checkOutputCount(ExampleTask task, int count) {
    if (task == ExampleTask.REGRESS && count != 1) {
      throw InferenceException.invalid("Expected one output Tensor.");
    }
    if (task == ExampleTask.CLASSIFY && count != 1 && count != 2) {
      throw InferenceException.invalid("Expected one or two output Tensors, found " + count);
    }
  }

  private static Head classes(Signature signature) {
    boolean classes = signature.output(CLASSES).isPresent();
    boolean scores = signature.output(SCORES).isPresent();
    if (!classes && !scores) {
      throw InferenceException.invalid(
          "Expected classification signature outputs to contain at least one of \"classes\" or"
              + " \"scores\". Signature was: "
              + dump(signature));
    }
    return new ClassificationHead(classes ? CLASSES : null, scores ? SCORES : null, true);
  }

  private static Head values(Signature signature) {
    if (signature.output(VALUES).isEmpty()) {
      throw InferenceException.invalid(
          "No regression outputs found in SignatureDef: " + dump(signature));
    }
    return new RegressionHead(VALUES, true);
  }

  private static String dump(Signature signature) {
    return "inputs { %s } outputs { %s } method_name: \"%s\""
        .formatted(dump(signature.inputs()), dump(signature.outputs()), signature.method());
  }

  private static String dump(List<TensorSpec> specs) {
    return specs.stream()
        .map(spec -> spec.name() + ": " + spec.nativeType() + " " + spec.shape())
        .collect(Collectors.joining(", "));
  }
}
