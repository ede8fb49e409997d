package dev.sluice.serving.encoder;

import dev.sluice.runtime.ModelSession;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * Sessions over what another one has loaded, for the threads that help it. Made when they are
 * needed, and kept until this is closed. Owner of them, not of that session. Any thread.
 */
final class HelperSessions implements AutoCloseable {
  private final ModelSession helped;
  private final int most;
  private final List<ModelSession> all = new CopyOnWriteArrayList<>();
  private final Queue<ModelSession> free = new ConcurrentLinkedQueue<>();
  private volatile boolean interrupted;

  /**
   * @param most sessions; 0: the session is never helped
   */
  HelperSessions(ModelSession helped, int most) {
    this.helped = helped;
    this.most = most;
  }

  /** Returns how many there may be. */
  int most() {
    return most;
  }

  /**
   * Returns a free one, to be given back; null if there is none. By the thread that runs the helped
   * session.
   */
  @Nullable ModelSession take() {
    ModelSession session = free.poll();
    return session != null || all.size() >= most ? session : share();
  }

  private @Nullable ModelSession share() {
    ModelSession session = helped.share().orElse(null);
    if (session != null) {
      all.add(session);
      if (interrupted) {
        session.interrupt();
      }
    }
    return session;
  }

  /** Gives back what {@link #take} returned. */
  void give(ModelSession session) {
    free.add(session);
  }

  /** Ends the runs of all, and any later one. */
  void interrupt() {
    interrupted = true;
    all.forEach(ModelSession::interrupt);
  }

  /** Lets runs be runs again. */
  void resume() {
    interrupted = false;
    all.forEach(ModelSession::resume);
  }

  @Override
  public void close() {
    all.forEach(ModelSession::close);
  }
}
