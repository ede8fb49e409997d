package dev.sluice.transport;

import dev.sluice.inference.Caller;
import dev.sluice.inference.Deadline;
import io.vertx.core.Future;
import java.util.function.Supplier;

/**
 * One request on its way through a face, whatever carries it. Belongs to the event loop of its
 * connection; every future it gives completes there.
 */
public interface Exchange {
  /** Names the request in logs: the caller's {@code x-request-id}, or one made here. */
  String requestId();

  /** Where it came in. */
  Caller caller();

  /** Until when the answer is wanted, by the wire or by the settings. */
  Deadline deadline();

  /**
   * Runs work that takes time in proportion to a size: at once if that is small, else on a worker,
   * so that the event loop is never held. What the work throws fails the future.
   *
   * @param bytes the size
   */
  <T> Future<T> compute(long bytes, Supplier<T> work);

  /**
   * Runs the action if the caller goes away before the answer is complete: at once if it is gone
   * already. One action; another replaces it.
   */
  void onGone(Runnable action);
}
