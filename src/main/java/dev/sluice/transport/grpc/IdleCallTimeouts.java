package dev.sluice.transport.grpc;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import io.vertx.core.Vertx;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Idle timeouts of the calls of one event loop whose clients have sent only headers, or pause
 * between two messages. A listener that closes would wait for them as long as for calls under way,
 * so their clients get a grace period, then the status that the server stops.
 */
final class IdleCallTimeouts {
  /** Interval of the polls; what a client had sent when it began a call has arrived by the next. */
  private static final long POLL_MILLIS = 100;

  /** A call, or all calls of a connection. */
  interface Member {
    /**
     * Ends what has nothing under way, now or as soon as that is so, and was there at the look
     * before. Connections take new calls until their clients have heard that they end.
     */
    void endIfIdle();
  }

  private final Set<Member> members = new HashSet<>();

  void add(Member member) {
    members.add(member);
  }

  void remove(Member member) {
    members.remove(member);
  }

  /**
   * Ends them after a grace period, and those that come until the verticle is undeployed. On their
   * event loop.
   */
  void endSoon(Vertx vertx) {
    vertx.setPeriodic(POLL_MILLIS, _ -> List.copyOf(members).forEach(Member::endIfIdle));
  }

  /** Returns the status that their clients get. */
  static InferenceException stopping() {
    return new InferenceException(
        ErrorCode.UNAVAILABLE, "the server is stopping and waits for no more messages");
  }
}
