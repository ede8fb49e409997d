package dev.sluice.scheduling.sequence;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ParameterValue;
import dev.sluice.inference.SequenceStep;
import dev.sluice.inference.Signature;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorBuilder;
import dev.sluice.tensor.TensorSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The control inputs and states that the server adds to a request of a sequence, and removes from
 * its answer. Immutable; any thread.
 *
 * @param shown the signature that callers see
 * @param whole the model's own
 * @param batched whether dimension 0 is a batch
 */
record SequencePlan(
    Signature shown,
    Signature whole,
    boolean batched,
    List<ControlInput> controls,
    List<StateTensor> states) {

  /**
   * Refuses a request that cannot be one of a sequence.
   *
   * @throws InferenceException with INVALID_ARGUMENT
   */
  void check(InferenceRequest request) {
    String model = request.model().id().name();
    for (NamedTensor input : request.inputs()) {
      Shape shape = input.tensor().shape();
      if (batched && (shape.rank() == 0 || shape.dim(0) != 1)) {
        throw InferenceException.invalid(
            "inference request to model '%s' must specify batch-size 1 due to requirements of"
                    .formatted(model)
                + " sequence batcher, input '%s' has shape %s".formatted(input.name(), shape));
      }
    }
    if (!request.options().sequence().hasId()) {
      throw InferenceException.invalid(
          "inference request to model '%s' must specify a non-zero or non-empty correlation ID"
              .formatted(model));
    }
  }

  /** Returns the state of a sequence before its first run, for the caller to close. */
  List<NamedTensor> begin() {
    List<NamedTensor> state = new ArrayList<>(states.size());
    try {
      for (StateTensor tensor : states) {
        state.add(new NamedTensor(tensor.input(), tensor.begin()));
      }
      return state;
    } catch (RuntimeException | Error e) {
      NamedTensor.closeAll(state);
      throw e;
    }
  }

  /**
   * Returns the request as the model gets it, which takes the other one over, but not the state:
   * that is viewed until the run is over.
   */
  InferenceRequest prepare(InferenceRequest request, List<NamedTensor> state) {
    List<NamedTensor> added = new ArrayList<>(controls.size() + states.size());
    try {
      for (ControlInput control : controls) {
        added.add(control.of(request.options().sequence()));
      }
    } catch (RuntimeException | Error e) {
      NamedTensor.closeAll(added);
      throw e;
    }
    for (NamedTensor tensor : state) {
      added.add(new NamedTensor(tensor.name(), viewOf(tensor.tensor())));
    }
    List<NamedTensor> inputs = new ArrayList<>(request.inputs());
    inputs.addAll(added);
    return request.handOver(whole, inputs, outputs(request.outputs()));
  }

  private static Tensor viewOf(Tensor tensor) {
    return Tensor.adopt(tensor.type(), tensor.shape(), tensor.data(), () -> {});
  }

  /** Returns the outputs asked for, and behind them what the next run needs. */
  private List<String> outputs(List<String> asked) {
    List<String> outputs = new ArrayList<>(asked);
    if (asked.isEmpty()) {
      shown.supportedOutputs().stream().map(TensorSpec::name).forEach(outputs::add);
    }
    for (StateTensor tensor : states) {
      if (!outputs.contains(tensor.output())) {
        outputs.add(tensor.output());
      }
    }
    return outputs;
  }

  /**
   * Returns the state that a run has left, in place of the one before it. The answer stays its
   * owner's, but without what only the next run needs.
   *
   * @param outputs the run's, from which state is taken out
   * @param asked how many of them, from the first on, the caller is to get
   * @return for the caller to close
   */
  List<NamedTensor> takeState(List<NamedTensor> outputs, int asked) {
    List<NamedTensor> state = new ArrayList<>(states.size());
    try {
      for (StateTensor tensor : states) {
        int at = indexOf(outputs, tensor.output());
        tensor.requireFit(outputs.get(at).tensor());
        Tensor next = at < asked ? copy(outputs.get(at).tensor()) : outputs.remove(at).tensor();
        state.add(new NamedTensor(tensor.input(), next));
      }
      return state;
    } catch (RuntimeException | Error e) {
      NamedTensor.closeAll(state);
      throw e;
    }
  }

  /** Returns how many outputs the caller is to get. */
  int asked(InferenceRequest request) {
    return request.outputs().isEmpty() ? shown.supportedOutputs().size() : request.outputs().size();
  }

  private static int indexOf(List<NamedTensor> outputs, String name) {
    for (int i = 0; i < outputs.size(); i++) {
      if (outputs.get(i).name().equals(name)) {
        return i;
      }
    }
    throw new IllegalStateException("the run has left out output " + name);
  }

  private static Tensor copy(Tensor tensor) {
    try (var builder = new TensorBuilder(tensor.type(), tensor.byteSize())) {
      builder.putRaw(tensor.data(), 0, tensor.byteSize(), tensor.elementCount());
      return builder.build(tensor.shape());
    }
  }

  /** Returns the answer as the caller gets it. */
  InferenceResponse answer(InferenceResponse run, List<NamedTensor> outputs, SequenceStep step) {
    Map<String, ParameterValue> parameters = new LinkedHashMap<>(run.parameters());
    parameters.put("sequence_id", step.id());
    parameters.put("sequence_start", new ParameterValue.Flag(step.start()));
    parameters.put("sequence_end", new ParameterValue.Flag(step.end()));
    return new InferenceResponse(run.model(), shown, outputs, parameters);
  }
}
