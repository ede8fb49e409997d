package dev.sluice.serving.stream;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The open streams of a server, so that graceful shutdown can end each in the words of its
 * protocol. Any thread.
 */
public final class OpenStreams {
  /** One of them. */
  public interface Stream {
    /** Ends it with a failure, unless it has ended. Any thread. */
    void giveUp(InferenceException why);
  }

  private final Set<Stream> open = ConcurrentHashMap.newKeySet();
  private volatile boolean stopping;

  /** Adds a stream, which is ended at once if the server stops. */
  public void enter(Stream stream) {
    open.add(stream);
    if (stopping) {
      stream.giveUp(stopped());
    }
  }

  /** Removes a stream that has ended. Idempotent. */
  public void leave(Stream stream) {
    open.remove(stream);
  }

  /** Returns how many are open. */
  public int count() {
    return open.size();
  }

  /** Ends all that are open, and all that come. */
  public void stop() {
    stopping = true;
    open.forEach(stream -> stream.giveUp(stopped()));
  }

  private static InferenceException stopped() {
    return new InferenceException(
        ErrorCode.UNAVAILABLE, "the server is stopping and ends what still goes on");
  }
}
