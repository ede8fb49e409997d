package dev.sluice.transport.http;

import dev.sluice.inference.ErrorCode;

/**
 * The one table from failures to HTTP statuses.
 *
 * <p>No default branch: a new error code does not compile until it has a status.
 */
public final class HttpStatus {
  private HttpStatus() {}

  /** Returns the status that every protocol here answers a failure with. */
  public static int of(ErrorCode code) {
    return switch (code) {
      case INVALID_ARGUMENT, FAILED_PRECONDITION, OUT_OF_RANGE -> 400;
      case UNAUTHENTICATED -> 401;
      case PERMISSION_DENIED -> 403;
      case NOT_FOUND -> 404;
      case ABORTED, ALREADY_EXISTS -> 409;
      case TOO_LARGE -> 413;
      case RESOURCE_EXHAUSTED -> 429;
      case CANCELLED -> 499;
      case UNKNOWN, INTERNAL, DATA_LOSS -> 500;
      case UNIMPLEMENTED -> 501;
      case UNAVAILABLE -> 503;
      case DEADLINE_EXCEEDED -> 504;
    };
  }
}
