package dev.sluice.telemetry.access;

import dev.sluice.inference.BoundedText;
import dev.sluice.inference.ErrorCode;
import org.jspecify.annotations.Nullable;

/**
 * One call that has ended. Bounded: texts of a client are cut before they are kept. Handed from the
 * event loop to the writer of the log.
 *
 * @param beganMillis when its head had arrived, in milliseconds since 1970
 * @param probe whether it asks for health, readiness or metrics, which probes do
 */
public record AccessEntry(
    long beganMillis,
    Client client,
    Target target,
    Answer answer,
    CallStages stages,
    boolean probe) {
  /** A status that the call does not have: none of its protocol, or no answer was sent. */
  public static final int NONE = -1;

  private static final int FIRST_ERROR = 400;
  private static final int FIRST_FAULT = 500;
  private static final int LONGEST_PATH = 1_024;
  private static final int LONGEST_NAME = 256;

  /**
   * The caller.
   *
   * @param address null on a Unix domain socket
   * @param listener by which it came
   * @param identity its name, never a secret; empty if it was not looked at or is not valid
   */
  public record Client(@Nullable Object address, String listener, String identity) {
    public Client {
      identity = BoundedText.cut(identity, LONGEST_NAME);
    }
  }

  /**
   * What it addressed.
   *
   * @param protocol that carried it, such as {@code HTTP/1.1} or {@code gRPC}
   * @param method of HTTP; empty for brpc
   * @param path as it was sent, or a service and its method
   */
  public record Target(String protocol, String method, String path, String requestId) {
    public Target {
      path = BoundedText.cut(path, LONGEST_PATH);
      requestId = BoundedText.cut(requestId, LONGEST_NAME);
    }
  }

  /**
   * How it was answered.
   *
   * @param status of HTTP; {@link #NONE} if no answer was sent, or by brpc
   * @param rpcStatus of gRPC or brpc; {@link #NONE} for other calls
   * @param bytesIn of the body, as they came
   * @param bytesOut of the body, as they were sent
   */
  public record Answer(int status, int rpcStatus, long bytesIn, long bytesOut) {
    boolean isWell() {
      return status < FIRST_ERROR && rpcStatus <= 0;
    }
  }

  private static final long NANOS_PER_MILLI = 1_000_000;

  /** Returns the entry of a call that ends now. */
  public static AccessEntry of(
      Client client, Target target, Answer answer, CallStages stages, boolean probe) {
    long began = System.currentTimeMillis() - stages.total() / NANOS_PER_MILLI;
    return new AccessEntry(began, client, target, answer, stages, probe);
  }

  /** Returns why the call failed, or what its status says of that; null if it did not fail. */
  public @Nullable ErrorCode error() {
    return stages.error() != null || answer.status < FIRST_ERROR
        ? stages.error()
        : ofStatus(answer.status);
  }

  /** A request that is refused before it is anybody's has a status, and no more. */
  private static ErrorCode ofStatus(int status) {
    return switch (status) {
      case 401 -> ErrorCode.UNAUTHENTICATED;
      case 403 -> ErrorCode.PERMISSION_DENIED;
      case 404 -> ErrorCode.NOT_FOUND;
      case 408, 504 -> ErrorCode.DEADLINE_EXCEEDED;
      case 413 -> ErrorCode.TOO_LARGE;
      case 429 -> ErrorCode.RESOURCE_EXHAUSTED;
      case 501, 505 -> ErrorCode.UNIMPLEMENTED;
      case 503 -> ErrorCode.UNAVAILABLE;
      default -> status < FIRST_FAULT ? ErrorCode.INVALID_ARGUMENT : ErrorCode.INTERNAL;
    };
  }

  /** Returns whether it is a probe that was answered well: one of very many alike. */
  public boolean isGoodProbe() {
    return probe && answer.isWell() && stages.error() == null;
  }
}
