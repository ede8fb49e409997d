package dev.sluice.scheduling.stream;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.tensor.NamedTensor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The steps of one stream: runs of its model, one after the other, and what is sent of their
 * outputs.
 *
 * <p>Threads: one at a time, but not always the same one. Nothing here may block.
 *
 * <p>Owner: owns what it keeps from one step for the next, until {@link #close}.
 */
public interface StreamSteps extends AutoCloseable {
  /** Returns whether there is no further step. A stream may have none at all. */
  boolean isOver();

  /** Returns the most bytes that are kept from one step for the next; 0 if they are not counted. */
  default long cacheBytes() {
    return 0;
  }

  /**
   * Returns whether what is kept could be computed again. Not asked for when the stream {@link
   * #isOver}.
   */
  boolean canRecompute();

  /**
   * Frees what is kept, so that the next runs compute it again and go on from there. Only if it
   * {@link #canRecompute}; what a step was made of may have been freed.
   */
  void recompute();

  /**
   * Takes what is kept out of memory that other streams go on in, since the next run may be long in
   * coming. Not asked for when the stream {@link #isOver}.
   */
  void park();

  /**
   * Returns the next run of the model: an {@link InferenceRequest#step}, the caller's to close. Not
   * asked for when the stream {@link #isOver}.
   *
   * @throws InferenceException if it cannot be made; ends the stream
   */
  InferenceRequest next();

  /**
   * Learns what the run gave.
   *
   * @param outputs taken over, whatever happens
   * @return what to send, the caller's to close; null if this step sends nothing
   * @throws InferenceException if the outputs are not what the settings say; ends the stream
   */
  @Nullable List<NamedTensor> take(List<NamedTensor> outputs);

  /** Frees what is left. */
  @Override
  void close();
}
