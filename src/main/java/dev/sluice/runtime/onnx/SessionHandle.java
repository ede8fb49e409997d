package dev.sluice.runtime.onnx;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * The native session and how many need it: its owner, and every output that is still open, because
 * an output may lie in the session's own memory (a constant that the model returns as it is). Any
 * thread.
 *
 * <p>Reference count: each session that shares the native one holds a reference. Any thread.
 */
final class SessionHandle {
  private final long session;
  private final AtomicInteger users = new AtomicInteger(1);

  private final long memoryLimit;
  private volatile boolean proven;

  /**
   * Takes the session over for its first user.
   *
   * @param memoryLimit bytes of the arena that it shares with others; 0 if it has one of its own
   */
  SessionHandle(long session, long memoryLimit) {
    this.session = session;
    this.memoryLimit = memoryLimit;
  }

  /** Returns the number of bytes that it may take together with others; 0: any number. */
  long memoryLimit() {
    return memoryLimit;
  }

  /** Records that a run has succeeded. */
  void succeeded() {
    if (!proven) {
      proven = true;
    }
  }

  /** Returns whether a run has succeeded, so that the model itself works. */
  boolean isProven() {
    return proven;
  }

  /** Returns the session, for one who is counted. */
  long session() {
    return session;
  }

  /** Counts one more user, at the request of one who is counted. */
  void retain() {
    users.incrementAndGet();
  }

  /** Takes a reference unless the last one was released, which frees the session. */
  boolean tryRetain() {
    return users.getAndUpdate(count -> count == 0 ? 0 : count + 1) > 0;
  }

  /** Releases a reference; the last one to be released frees the session. */
  void release() {
    if (users.decrementAndGet() == 0) {
      OrtApi.releaseSession(session);
    }
  }
}
