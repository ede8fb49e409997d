package dev.sluice.protocol.tfs;

import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.Signature;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Tensor;
import java.util.List;

/** The outputs of a signature that answer a task, and how they are read. */
sealed interface Head permits ClassificationHead, RegressionHead {
  /** The format in a SavedModel's metadata. */
  String SAVED_MODEL = "tensorflow_savedmodel";

  /**
   * Returns the head of a signature for a task.
   *
   * @throws dev.sluice.inference.InferenceException with INVALID_ARGUMENT if the signature is not
   *     made for it
   */
  static Head of(ExampleTask task, ModelMetadata model, Signature signature) {
    if (model.methodsBind()) {
      MethodNames.require(task, signature);
    }
    return takesExamples(model)
        ? SavedModelHeads.of(task, signature)
        : NamedOutputs.head(task, signature);
  }

  /** Returns whether a model's inputs are examples as they are. */
  static boolean takesExamples(ModelMetadata model) {
    return model.platform().equals(SAVED_MODEL);
  }

  /** Returns the names of the outputs that it reads. */
  List<String> outputs();

  /**
   * Returns the same head where each output goes by the name that the model's own format has for
   * it.
   */
  Head inJoint(Signature own);

  /**
   * Returns the results that the outputs hold.
   *
   * @param outputs borrowed for as long as the answer is used
   * @param examples how many were asked about
   * @throws dev.sluice.inference.InferenceException with INVALID_ARGUMENT if they do not have the
   *     type or shape of an answer
   */
  ExampleResults read(List<NamedTensor> outputs, long examples);

  /** Returns the output of a name. */
  static Tensor find(List<NamedTensor> outputs, String name) {
    for (NamedTensor output : outputs) {
      if (output.name().equals(name)) {
        return output.tensor();
      }
    }
    throw new IllegalStateException("the run has left out output " + name);
  }

  /** Returns the name of an output in the model's own format. */
  static String nativeName(Signature signature, String output) {
    return signature.output(output).orElseThrow().nativeName();
  }
}
