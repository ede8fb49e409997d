package dev.sluice.scheduling.batching;

import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.Signature;
import dev.sluice.scheduling.queue.PendingRequest;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.SharedTensor;
import dev.sluice.tensor.Tensor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How requests whose rows differ in length lie in one run. Any thread. Tensors that are given stay
 * their owners', those that are returned are the caller's.
 */
public sealed interface RaggedRows permits PaddedRows, FlatRows {
  /** Returns whether a request may join others at all. */
  boolean admits(InferenceRequest request, long rows);

  /** Returns whether two requests that are alike otherwise may run together. */
  boolean areNear(InferenceRequest one, InferenceRequest other);

  /** Returns whether rows of an input are like those of another request's. */
  boolean haveRowsThatJoin(NamedTensor input, Shape other);

  /** Returns what a request takes of a batch besides its rows. */
  RowSize size(InferenceRequest request);

  /** Returns whether a request's rows are about as long as a batch's. */
  boolean isNear(Batch batch, RowSize size);

  /** Returns whether a batch may have so many rows once it has another request. */
  boolean fits(Batch batch, int rows, RowSize size);

  /** Returns the signature that joined requests call. */
  Signature called(Signature signature);

  /**
   * Returns an input of joined requests; null if its rows lie under one another as they are.
   *
   * @param tensors of the requests
   * @param size rows of the result; those beyond are as the first
   */
  @Nullable Tensor joined(String input, List<Tensor> tensors, int size);

  /**
   * Adds the inputs that the server makes and requests have not given.
   *
   * @param inputs of a run, which the new ones are added to
   * @param requests the inputs of each, at least one
   * @param size rows of the run
   */
  void complete(List<NamedTensor> inputs, List<List<NamedTensor>> requests, int size);

  /** Returns whether the outputs of a run can be cut into the requests' own. */
  boolean fits(List<NamedTensor> outputs, List<PendingRequest> members, int size);

  /**
   * Cuts the next request's part from an output.
   *
   * @param whole of which the parts of the requests before were cut
   */
  Tensor next(String output, SharedTensor whole, PendingRequest member);
}
