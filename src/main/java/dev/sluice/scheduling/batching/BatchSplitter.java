package dev.sluice.scheduling.batching;

import dev.sluice.scheduling.queue.PendingRequest;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.SharedTensor;
import dev.sluice.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Cuts a run's outputs into each request's rows, without a copy, and drops the padding.
 *
 * <p>Each slice holds a reference to the whole output; the last response to be closed frees it.
 */
final class BatchSplitter {
  private BatchSplitter() {}

  /** Returns whether every output has one row for each that ran. */
  static boolean fits(List<NamedTensor> outputs, int rows) {
    for (int i = 0; i < outputs.size(); i++) {
      Shape shape = outputs.get(i).tensor().shape();
      if (shape.rank() == 0 || shape.dim(0) != rows) {
        return false;
      }
    }
    return true;
  }

  /**
   * Cuts outputs that {@link #fits fit}, and takes them over.
   *
   * @param ragged how rows of different lengths ran together; null if they did not
   * @param block where the members' rows were; null if they were one behind the other
   * @return for each member the outputs that it wants, in its order; owned by the caller
   */
  static List<List<NamedTensor>> split(
      List<NamedTensor> outputs,
      List<PendingRequest> members,
      @Nullable RaggedRows ragged,
      @Nullable CacheBlock block) {
    var shares = new ArrayList<List<NamedTensor>>(members.size());
    for (int i = 0; i < members.size(); i++) {
      shares.add(new ArrayList<>(outputs.size()));
    }
    try {
      for (int i = 0; i < outputs.size(); i++) {
        split(outputs.get(i), members, shares, ragged, block);
      }
      for (int i = 0; i < members.size(); i++) {
        shares.set(i, RequestedOutputs.inOrder(members.get(i).request(), shares.get(i)));
      }
      return shares;
    } catch (RuntimeException | Error e) {
      shares.forEach(NamedTensor::closeAll);
      NamedTensor.closeAll(outputs);
      throw e;
    }
  }

  private static void split(
      NamedTensor output,
      List<PendingRequest> members,
      List<List<NamedTensor>> shares,
      @Nullable RaggedRows ragged,
      @Nullable CacheBlock block) {
    try (var shared = new SharedTensor(output.tensor())) {
      for (int i = 0; i < members.size(); i++) {
        PendingRequest member = members.get(i);
        if (block != null) {
          shared.skip(block.gap(i));
        }
        if (RequestedOutputs.wants(member.request(), output.name())) {
          shares.get(i).add(new NamedTensor(output.name(), next(output, shared, member, ragged)));
        } else if (ragged == null) {
          shared.skip(member.rows());
        } else {
          ragged.next(output.name(), shared, member).close();
        }
      }
    }
  }

  private static Tensor next(
      NamedTensor output, SharedTensor shared, PendingRequest member, @Nullable RaggedRows ragged) {
    return ragged == null ? shared.next(member.rows()) : ragged.next(output.name(), shared, member);
  }
}
