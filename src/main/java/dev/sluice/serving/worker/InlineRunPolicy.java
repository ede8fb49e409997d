package dev.sluice.serving.worker;

import dev.sluice.scheduling.queue.PendingRequest;
import dev.sluice.tensor.NamedTensor;
import java.time.Duration;
import java.util.List;

/**
 * Decides which batches run inline on an event loop: those no larger than one that took a short
 * time the last time that its size, or a larger one, was run. So a new model begins with none, and
 * a run that took long sends the next ones of its size to the worker, until one there is short
 * again. Used by one thread at a time.
 */
final class InlineRunPolicy {
  private static final long NONE = -1;

  private final long limitNanos;
  private long shortBytes = NONE;

  /**
   * @param limit how long a short run takes at most
   */
  InlineRunPolicy(Duration limit) {
    this.limitNanos = limit.toNanos();
  }

  /** Returns the size of a batch's inputs, by which batches are compared. */
  static long bytes(List<PendingRequest> members) {
    long bytes = 0;
    for (int i = 0; i < members.size(); i++) {
      List<NamedTensor> inputs = members.get(i).request().inputs();
      for (int k = 0; k < inputs.size(); k++) {
        bytes += inputs.get(k).tensor().byteSize();
      }
    }
    return bytes;
  }

  /** Returns whether a batch of this size is expected to run for a short time. */
  boolean holds(long bytes) {
    return bytes <= shortBytes;
  }

  /** Learns how long a batch of this size ran. */
  void learn(long bytes, long nanos) {
    shortBytes = nanos > limitNanos ? Math.min(shortBytes, bytes - 1) : Math.max(shortBytes, bytes);
  }
}
