package dev.sluice.scheduling.ensemble;

import dev.sluice.inference.DataPlane;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.Signature;
import dev.sluice.scheduling.ensemble.EnsembleStep.Link;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.SharedTensor;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Makes the requests of an ensemble's members from the ensemble's request. Immutable.
 *
 * @param members finds the steps' models
 * @param request the ensemble's, which outlives those of the members
 */
record MemberRequests(EnsembleGraph graph, DataPlane members, InferenceRequest request) {
  /**
   * Makes the request of a step, which the caller owns.
   *
   * @param tensors by number, what there is of each tensor; null for one that the request left out
   * @param wanted which of the tensors that the step writes are taken
   * @throws InferenceException as {@link EnsembleStep#admit}
   */
  InferenceRequest of(
      EnsembleStep step, IntFunction<@Nullable SharedTensor> tensors, IntPredicate wanted) {
    InferenceRequest part =
        step.admit(members, request.model().caller())
            .handOver(member ->
                new InferenceRequest(
                    member,
                    EnsembleGraphBuilder.signature(member.metadata()),
                    inputs(step, member, tensors),
                    outputs(step, wanted),
                    request.deadline(),
                    request.requestId(),
                    request.options()));
    part.belongsTo(request);
    return part;
  }

  private List<NamedTensor> inputs(
      EnsembleStep step, ModelLease member, IntFunction<@Nullable SharedTensor> tensors) {
    Signature signature = EnsembleGraphBuilder.signature(member.metadata());
    List<NamedTensor> inputs = new ArrayList<>(step.inputs().size());
    for (Link input : step.inputs()) {
      SharedTensor tensor = tensors.apply(input.tensor());
      if (tensor != null) {
        inputs.add(
            new NamedTensor(
                input.name(),
                member.metadata().shapesBind()
                    ? shaped(tensor, signature.input(input.name()))
                    : tensor.all()));
      }
    }
    return inputs;
  }

  private static List<String> outputs(EnsembleStep step, IntPredicate wanted) {
    List<String> outputs = new ArrayList<>(step.outputs().size());
    for (Link output : step.outputs()) {
      if (wanted.test(output.tensor())) {
        outputs.add(output.name());
      }
    }
    return outputs;
  }

  /**
   * Requires that a step has given what others take. Of a stream that is required of the last
   * response: those before it may leave outputs out, as a model of text says only at the end why it
   * has ended, and what would take them does not run.
   *
   * @param wanted which of the tensors that the step writes are taken
   * @throws InferenceException INTERNAL, naming the output that is missing
   */
  static void requireOutputs(EnsembleStep step, InferenceResponse response, IntPredicate wanted) {
    if (step.streams() && !response.last()) {
      return;
    }
    for (Link output : step.outputs()) {
      if (wanted.test(output.tensor())
          && response.outputs().stream().noneMatch(given -> given.name().equals(output.name()))) {
        throw new InferenceException(
            ErrorCode.INTERNAL, "it gave no output '" + output.name() + "'");
      }
    }
  }

  /** Returns the ensemble's output, which the caller owns, in the shape that the ensemble has. */
  NamedTensor output(String name, SharedTensor tensor) {
    return new NamedTensor(
        name,
        graph.isHinted(graph.outputNumber(name))
            ? tensor.all()
            : shaped(tensor, request.signature().output(name)));
  }

  /**
   * Returns the tensor as the other end declares it: where the ensemble has no batch, a member that
   * has one takes and returns one row.
   */
  private Tensor shaped(SharedTensor tensor, Optional<TensorSpec> end) {
    Shape shape = tensor.shape();
    if (graph.metadata().maxBatchSize() > 0 || end.isEmpty() || !end.get().shape().isRankKnown()) {
      return tensor.all();
    }
    int rank = end.get().shape().rank();
    if (rank == shape.rank() + 1) {
      return tensor.all(shape.prepend(1));
    }
    boolean oneRow = rank == shape.rank() - 1 && shape.dim(0) == 1;
    return oneRow ? tensor.all(shape.withoutRows()) : tensor.all();
  }
}
