package dev.sluice.protocol.grps;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;

/**
 * The status that every answer carries, and the one table from failures to grps codes, which look
 * like HTTP statuses.
 *
 * @param code 200, or what went wrong
 * @param message {@code OK}, or a text for people
 */
public record GrpsStatus(int code, String message) {
  public static final GrpsStatus OK = new GrpsStatus(200, "OK");

  /** The answer to a readiness check while the server is offline. */
  public static final GrpsStatus OFFLINE = new GrpsStatus(503, "Service Unavailable");

  /** Returns whether the code is 200, the only one of success. */
  public boolean succeeded() {
    return code == 200;
  }

  /** Returns the name of the flag: the enum StatusFlag of the contract. */
  public String flag() {
    return succeeded() ? "SUCCESS" : "FAILURE";
  }

  /** Returns the number of the flag. */
  public int flagNumber() {
    return succeeded() ? 1 : 2;
  }

  /** Returns the status of a failed call that is not a prediction. */
  public static GrpsStatus of(InferenceException failure) {
    return new GrpsStatus(code(failure.code()), failure.getMessage());
  }

  /**
   * Returns the status of a failed prediction. The native server prefixes the texts of a caller's
   * mistakes, and an unknown model is one of its 500s: clients tell it by the text.
   */
  public static GrpsStatus ofPrediction(InferenceException failure) {
    return switch (failure.code()) {
      case INVALID_ARGUMENT -> new GrpsStatus(400, "Bad Request, err: " + failure.getMessage());
      case NOT_FOUND -> new GrpsStatus(500, failure.getMessage());
      case FAILED_PRECONDITION,
          UNAUTHENTICATED,
          PERMISSION_DENIED,
          UNIMPLEMENTED,
          TOO_LARGE,
          CANCELLED,
          RESOURCE_EXHAUSTED,
          UNAVAILABLE,
          DEADLINE_EXCEEDED,
          UNKNOWN,
          OUT_OF_RANGE,
          DATA_LOSS,
          ABORTED,
          ALREADY_EXISTS,
          INTERNAL ->
          of(failure);
    };
  }

  private static int code(ErrorCode code) {
    return switch (code) {
      case INVALID_ARGUMENT, FAILED_PRECONDITION, OUT_OF_RANGE -> 400;
      case UNAUTHENTICATED -> 401;
      case PERMISSION_DENIED -> 403;
      case NOT_FOUND -> 404;
      case TOO_LARGE -> 413;
      case CANCELLED -> 499;
      case UNKNOWN, INTERNAL, DATA_LOSS, ABORTED, ALREADY_EXISTS -> 500;
      case UNIMPLEMENTED -> 501;
      case RESOURCE_EXHAUSTED, UNAVAILABLE -> 503;
      case DEADLINE_EXCEEDED -> 504;
    };
  }
}
