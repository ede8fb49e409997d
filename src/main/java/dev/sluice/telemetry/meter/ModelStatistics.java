package dev.sluice.telemetry.meter;

import dev.sluice.inference.ModelId;
import java.util.List;

/**
 * Statistics of a version since it was loaded, as in Triton's statistics extension.
 *
 * @param model the version
 * @param lastInferenceMillis when it last ran, in milliseconds since 1970; 0 if never
 * @param inferenceCount rows of the requests that it answered, those from a cache left out
 * @param executionCount how often it ran
 * @param requests what became of its requests, and how long that took
 * @param batches the runs by their numbers of rows, growing
 * @param responses of a model whose requests have any number of responses: what became of those at
 *     the first place, at the second, and so on
 */
public record ModelStatistics(
    ModelId model,
    long lastInferenceMillis,
    long inferenceCount,
    long executionCount,
    RequestTimes requests,
    List<BatchTimes> batches,
    List<ResponseTimes> responses) {
  /**
   * A count and a total time.
   *
   * @param nanos nanoseconds
   */
  public record Times(long count, long nanos) {
    Times plus(Times other) {
      return new Times(count + other.count, nanos + other.nanos);
    }
  }

  /**
   * Requests by what became of them, and by what was done for those that were answered.
   *
   * @param success requests answered, and the time from when they began to wait to their answers
   * @param fail requests that failed after they were accepted, and how long they took
   * @param queue how long the requests that were answered waited
   * @param computeInput how long their inputs were put together
   * @param computeInfer how long the model ran for them
   * @param computeOutput how long their outputs were taken apart
   * @param cacheHit requests answered from a cache
   * @param cacheMiss requests that were not in a cache, and the time it took to look and to put
   *     them there
   */
  public record RequestTimes(
      Times success,
      Times fail,
      Times queue,
      Times computeInput,
      Times computeInfer,
      Times computeOutput,
      Times cacheHit,
      Times cacheMiss) {}

  /** Runs of one size. */
  public record BatchTimes(
      long size, Times computeInput, Times computeInfer, Times computeOutput) {}

  /**
   * Responses at one place of their streams.
   *
   * @param computeInfer how long the model took, from the response before
   * @param computeOutput how long it took to turn them into answers
   * @param success those that were sent, and both times together
   * @param fail streams that failed there
   * @param empty streams that ended there, and said so without a response
   * @param cancel streams that were left there, and how long it took to tell the model
   */
  public record ResponseTimes(
      Times computeInfer,
      Times computeOutput,
      Times success,
      Times fail,
      Times empty,
      Times cancel) {}
}
