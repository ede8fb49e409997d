package dev.sluice.protocol.tfs;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.Signature;
import java.util.ArrayList;
import java.util.List;

/**
 * Puts several tasks together, checked in TensorFlow Serving's order and with its words.
 *
 * <p>A task that is wrong fails the whole request, before the model runs.
 */
public final class ExampleTasksBuilder {
  private final ModelMetadata model;
  private final List<Signature> signatures = new ArrayList<>();
  private final List<Head> heads = new ArrayList<>();

  /** For the tasks of one model. */
  public ExampleTasksBuilder(ModelMetadata model) {
    this.model = model;
  }

  /**
   * Adds a task.
   *
   * @param name of its signature; empty for the default
   * @param method such as {@code tensorflow/serving/classify}
   * @throws InferenceException if the model does not do it, or not in one run with the others
   */
  public void add(String name, String method) {
    String wanted = ExampleTasks.nameOrDefault(name);
    if (signatures.stream().anyMatch(signature -> signature.name().equals(wanted))) {
      throw InferenceException.invalid("Duplicate evaluation of signature: " + wanted);
    }
    Signature signature =
        model
            .signature(wanted)
            .orElseThrow(() ->
                InferenceException.invalid(
                    "Requested signature not found in model graph: " + wanted));
    ExampleTask task =
        ExampleTask.of(method)
            .orElseThrow(() ->
                new InferenceException(
                    ErrorCode.UNIMPLEMENTED, "Unsupported signature method_name: " + method));
    heads.add(Head.of(task, model, signature));
    signatures.add(signature);
    if (!inputOf(signature).equals(inputOf(signatures.getFirst()))) {
      throw InferenceException.invalid("Input tensor must be the same for all Signatures.");
    }
  }

  /**
   * Returns the native name of the first input, which is the only one of signatures over examples.
   */
  private static String inputOf(Signature signature) {
    return signature.inputs().isEmpty() ? "" : signature.inputs().getFirst().nativeName();
  }

  /** Returns the tasks that were added, at least one. */
  public ExampleTasks toInquiry() {
    return signatures.size() == 1
        ? new ExampleTasks(
            signatures.getFirst(),
            List.of(new ExampleTasks.Part(signatures.getFirst().name(), heads.getFirst())))
        : ExampleTasks.joint(signatures, heads);
  }
}
