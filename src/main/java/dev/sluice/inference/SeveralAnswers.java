package dev.sluice.inference;

import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.SharedTensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Several answers to one prompt, whichever protocol asks for them: each is the stream of a request
 * of its own. These share the tensors of the prompt. With a seed, each has one of its own, that
 * many further as it is behind the first.
 */
public final class SeveralAnswers {
  /** The parameter that says how many are wanted. */
  public static final String PARAMETER = "n";

  /** Most answers that a call may ask for. */
  public static final int MOST = 32;

  private static final String SEED = "seed";

  private SeveralAnswers() {}

  /**
   * Returns a request for each answer, in their order. They take everything over: the request only
   * passes a cancellation on to them.
   *
   * @param further leases of the model, one for each answer but the first; taken over
   */
  public static List<InferenceRequest> split(
      InferenceRequest request, List<? extends ModelLease> further) {
    int answers = 1 + further.size();
    List<List<NamedTensor>> inputs = shared(request.inputs(), answers);
    List<InferenceRequest> requests = new ArrayList<>(answers);
    for (int i = 0; i < answers; i++) {
      ModelLease lease = i == 0 ? request.model() : further.get(i - 1);
      requests.add(request.like(lease, inputs.get(i), parameters(request, i)));
    }
    request.handOver(requests);
    return requests;
  }

  /** Returns the same tensors for each answer. */
  private static List<List<NamedTensor>> shared(List<NamedTensor> inputs, int answers) {
    List<List<NamedTensor>> shared = new ArrayList<>(answers);
    for (int i = 0; i < answers; i++) {
      shared.add(new ArrayList<>(inputs.size()));
    }
    for (NamedTensor input : inputs) {
      try (var tensor = new SharedTensor(input.tensor())) {
        shared.forEach(each -> each.add(new NamedTensor(input.name(), tensor.all())));
      }
    }
    return shared;
  }

  private static Map<String, ParameterValue> parameters(InferenceRequest request, int answer) {
    Map<String, ParameterValue> parameters = new HashMap<>(request.options().parameters());
    parameters.remove(PARAMETER);
    parameters.computeIfPresent(SEED, (_, seed) -> further(seed, answer));
    return parameters;
  }

  /** Returns a seed that is so much further; what is no whole number is not for here to refuse. */
  private static ParameterValue further(ParameterValue seed, int answer) {
    return switch (seed) {
      case ParameterValue.Whole(long value, boolean unsigned) ->
          new ParameterValue.Whole(value + answer, unsigned);
      // 5.0 is a whole number in JSON Schema, and TensorFlow's clients may send a DT_DOUBLE.
      case ParameterValue.Fraction(double value) -> new ParameterValue.Fraction(value + answer);
      case ParameterValue.Flag _, ParameterValue.Text _ -> seed;
    };
  }
}
