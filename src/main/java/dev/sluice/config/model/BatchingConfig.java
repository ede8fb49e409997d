package dev.sluice.config.model;

import dev.sluice.config.binding.Section;
import java.time.Duration;
import java.util.List;

/**
 * Dynamic batching: how requests for one model are joined into one run. Sizes are rows, which is
 * dimension 0.
 *
 * @param maxBatchSize largest batch, in rows of dimension 0; of a plugin, in requests. Above 0, V2
 *     treats dimension 0 as the batch; above 1, requests are batched; 0: the first dimension is not
 *     known to be a batch
 * @param joined whether requests are joined at all, up to that size
 * @param maxQueueDelay batch delay: time that a request waits for others to fill the batch
 * @param preferredBatchSizes batch sizes that end the batch delay; empty: only the largest batch
 *     does
 * @param allowedBatchSizes batch sizes that batches are padded to, ascending, the last one {@code
 *     max_batch_size}; empty: any size
 * @param padVariableLengthInputs whether requests whose rows have different sizes share a batch,
 *     padded with their own first elements
 * @param defaultMaxBatchSize {@code max_batch_size} of a model whose settings do not mention it,
 *     nor its inputs and outputs, if the first dimension of all of these is open; 0: none
 * @param maxBatchBytes size of the inputs of requests that are joined, together; a larger request
 *     runs alone; 0: any size
 */
public record BatchingConfig(
    int maxBatchSize,
    boolean joined,
    Duration maxQueueDelay,
    List<Integer> preferredBatchSizes,
    List<Integer> allowedBatchSizes,
    boolean padVariableLengthInputs,
    int defaultMaxBatchSize,
    long maxBatchBytes) {
  public static final BatchingConfig DEFAULT =
      new BatchingConfig(0, false, Duration.ZERO, List.of(), List.of());

  /** Requests are joined whose rows have the same size. */
  public BatchingConfig(
      int maxBatchSize,
      boolean joined,
      Duration maxQueueDelay,
      List<Integer> preferredBatchSizes,
      List<Integer> allowedBatchSizes) {
    this(maxBatchSize, joined, maxQueueDelay, preferredBatchSizes, allowedBatchSizes, false, 0, 0);
  }

  /** Rows. */
  public static final int LARGEST_BATCH = 1 << 20;

  private static final long MOST_BYTES = 1L << 40;

  public BatchingConfig {
    preferredBatchSizes = List.copyOf(preferredBatchSizes);
    allowedBatchSizes = List.copyOf(allowedBatchSizes);
  }

  /** In a {@code model.yml}, a size above 1 enables dynamic batching. */
  public static BatchingConfig read(Section model, BatchingConfig defaults) {
    int largest = model.number("max_batch_size", defaults.maxBatchSize, 0, LARGEST_BATCH);
    var read =
        new BatchingConfig(
            largest,
            largest > 1,
            model.duration("max_queue_delay", defaults.maxQueueDelay),
            sizes(model, "preferred_batch_size", largest, defaults.preferredBatchSizes),
            sizes(model, "allowed_batch_sizes", largest, defaults.allowedBatchSizes),
            model.flag("pad_variable_length_inputs", defaults.padVariableLengthInputs),
            model.number("default_max_batch_size", defaults.defaultMaxBatchSize, 0, LARGEST_BATCH),
            model.size("max_batch_bytes", defaults.maxBatchBytes, 0, MOST_BYTES));
    if (!read.allowedSizesGrowToTheLargest()) {
      throw model.error(
          "allowed_batch_sizes",
          "is %s; wanted sizes that grow, the last of them max_batch_size, which is %d"
              .formatted(read.allowedBatchSizes, largest));
    }
    return read;
  }

  /** Returns the batching of a model whose largest batch was found out to be the default one. */
  public BatchingConfig withDefaultSize() {
    return new BatchingConfig(
        defaultMaxBatchSize,
        defaultMaxBatchSize > 1,
        maxQueueDelay,
        preferredBatchSizes,
        allowedBatchSizes,
        padVariableLengthInputs,
        0,
        maxBatchBytes);
  }

  /** Returns the batching of a model that joins rows up to a number and a size in bytes. */
  public BatchingConfig withJoined(int rows, long bytes) {
    return new BatchingConfig(
        rows,
        rows > 1,
        maxQueueDelay,
        preferredBatchSizes,
        allowedBatchSizes,
        padVariableLengthInputs,
        0,
        bytes);
  }

  private static List<Integer> sizes(
      Section model, String key, int largest, List<Integer> otherwise) {
    return model.list(key, otherwise, size -> size.number(1, Math.max(1, largest)));
  }

  private boolean allowedSizesGrowToTheLargest() {
    int before = 0;
    for (int size : allowedBatchSizes) {
      if (size <= before) {
        return false;
      }
      before = size;
    }
    return allowedBatchSizes.isEmpty() || before == maxBatchSize;
  }
}
