package dev.sluice.inference;

import com.google.errorprone.annotations.concurrent.GuardedBy;

/**
 * The times of an ensemble's request: added up over the runs of its composing models, some of them
 * side by side. Nanoseconds. Any thread.
 */
public final class ComposingModelTimes {
  @GuardedBy("this")
  private long queue;

  @GuardedBy("this")
  private long input;

  @GuardedBy("this")
  private long infer;

  @GuardedBy("this")
  private long output;

  @GuardedBy("this")
  private long batchSize;

  /** Adds one run more: how long it waited, and how long each of its parts took. */
  public synchronized void add(long queueNanos, long inputNanos, long inferNanos, long outNanos) {
    queue += queueNanos;
    input += inputNanos;
    infer += inferNanos;
    output += outNanos;
  }

  /** Adds all runs of a request that was composed itself. */
  public void add(ComposingModelTimes other) {
    joined(other.batchSize());
    add(other.queue(), other.input(), other.infer(), other.output());
  }

  /**
   * Records how large a run was.
   *
   * @param size inferences of all requests that were joined in it
   */
  public synchronized void joined(long size) {
    batchSize = Math.max(batchSize, size);
  }

  /** Returns the size of the largest run; 0 if there was none. */
  public synchronized long batchSize() {
    return batchSize;
  }

  /** Returns the sum of queue times in nanoseconds. */
  public synchronized long queue() {
    return queue;
  }

  /** Returns the sum of the times that preparing inputs took, in nanoseconds. */
  public synchronized long input() {
    return input;
  }

  /** Returns the sum of the times that the models ran, in nanoseconds. */
  public synchronized long infer() {
    return infer;
  }

  /** Returns the sum of the times that extracting outputs took, in nanoseconds. */
  public synchronized long output() {
    return output;
  }
}
