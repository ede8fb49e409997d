package dev.sluice.protocol.tfs;

import dev.sluice.inference.Deadline;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.Signature;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Tensor;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Tasks that a model does over examples, in one run: one as a rule, several in a MultiInference.
 *
 * @param signature the one to run; of several tasks, their signatures in one
 * @param parts the tasks, in the order of the request
 */
public record ExampleTasks(Signature signature, List<Part> parts) {
  /**
   * One task.
   *
   * @param signature the name of the signature that does it
   * @param head which outputs answer it
   */
  record Part(String signature, Head head) {}

  /** One task, done. */
  public record Result(String signature, ExampleResults findings) {}

  public ExampleTasks {
    parts = List.copyOf(parts);
  }

  /**
   * Returns one task.
   *
   * @param name of the signature; empty for the default
   * @throws InferenceException with INVALID_ARGUMENT if the model does not do it
   */
  public static ExampleTasks of(ExampleTask task, ModelMetadata model, String name) {
    Signature signature =
        model
            .signature(name)
            .orElseThrow(() ->
                InferenceException.invalid(
                    "No signature was found with the name: " + nameOrDefault(name)));
    Head head = Head.of(task, model, signature);
    return new ExampleTasks(signature, List.of(new Part(signature.name(), head)));
  }

  /**
   * Several tasks in one run.
   *
   * @param signatures at least two of the model's, each once
   * @param heads one for each
   */
  static ExampleTasks joint(List<Signature> signatures, List<Head> heads) {
    List<Part> parts = new ArrayList<>(heads.size());
    for (int i = 0; i < heads.size(); i++) {
      Signature own = signatures.get(i);
      parts.add(new Part(own.name(), heads.get(i).inJoint(own)));
    }
    return new ExampleTasks(Signature.joint(signatures), parts);
  }

  static String nameOrDefault(String name) {
    return name.isEmpty() ? Signature.DEFAULT : name;
  }

  /**
   * Returns the request to the model.
   *
   * @param model the lease; the request takes it over, unless this fails
   * @param examples a BYTES vector of serialised examples; taken over, whatever happens
   * @throws InferenceException with INVALID_ARGUMENT if the model cannot take such examples
   */
  public InferenceRequest request(
      ModelLease model, Tensor examples, Deadline deadline, String requestId) {
    try {
      return new InferenceRequest(
          model, signature, inputs(model.metadata(), examples), outputs(), deadline, requestId);
    } catch (RuntimeException | Error e) {
      examples.close();
      throw e;
    }
  }

  private List<NamedTensor> inputs(ModelMetadata model, Tensor examples) {
    if (Head.takesExamples(model)) {
      return List.of(new NamedTensor(SavedModelHeads.INPUT, examples));
    }
    try (examples) {
      return FeatureColumns.read(signature, examples);
    }
  }

  private List<String> outputs() {
    Set<String> outputs = new LinkedHashSet<>();
    parts.forEach(part -> outputs.addAll(part.head().outputs()));
    return List.copyOf(outputs);
  }

  /**
   * Returns the results of the model.
   *
   * @param response borrowed for as long as the results are used
   * @param examples how many it was asked about
   * @return one for each task, in their order
   * @throws InferenceException with INVALID_ARGUMENT if the model's outputs are no answer
   */
  public List<Result> read(InferenceResponse response, long examples) {
    return parts.stream()
        .map(part -> new Result(part.signature(), part.head().read(response.outputs(), examples)))
        .toList();
  }
}
