package dev.sluice.inference.control;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelLease;
import java.nio.file.Path;

/**
 * Requests that were recorded beside a model's files, to warm it up with. A protocol reads them, in
 * whose messages they are.
 */
public interface RecordedRequests {
  /** Answers one request, which it takes over. The response belongs to the caller. */
  interface Run {
    /**
     * @throws InferenceException if the model refuses the request or fails
     */
    InferenceResponse answer(InferenceRequest request);
  }

  /** Returns whether there are any. Blocks on the file system. */
  boolean areIn(Path folder);

  /**
   * Runs them one after the other, in their order. Blocks.
   *
   * @param folder the version's files, among which they are
   * @param model the version, which is not in use yet: its leases are not counted
   * @param iterations how often each is run
   * @return how many there are
   * @throws InferenceException naming the file, if one cannot be read or fails; nothing is left
   *     open
   */
  int replay(Path folder, ModelLease model, int iterations, Run run);
}
