package dev.sluice.extension;

/**
 * Sends the messages of one stream. Any thread, until the model's method returns.
 *
 * <p>Backpressure: emitting waits while the reader has no demand, on the plugin's own thread. A
 * stream that was cancelled makes it throw, so that the plugin stops.
 */
public interface Emitter {
  /**
   * Sends a message, as soon as the reader wants one: a slow reader slows the model down here.
   * After {@link #last} it does nothing.
   *
   * @throws java.util.concurrent.CancellationException if the reader has left or the time is over;
   *     to be let pass
   */
  void emit(Answer message) throws InterruptedException;

  /** Sends the last message. Whatever is emitted later is dropped. */
  void last(Answer message) throws InterruptedException;

  /**
   * Returns whether the reader has cancelled. The thread is interrupted too when that comes to be.
   */
  boolean isCancelled();
}
