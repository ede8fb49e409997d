package dev.sluice.transport.brpc;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;

/**
 * The one table from failures to brpc's error codes, on which its clients decide to try again.
 *
 * <p>The numbers are brpc's own; clients retry on some and go to another server on ELOGOFF.
 */
final class BrpcError {
  static final int NO_SERVICE = 1001;
  static final int NO_METHOD = 1002;
  static final int BAD_REQUEST = 1003;
  static final int INTERNAL = 2001;

  /** The server stops: clients go elsewhere. */
  static final int STOPPING = 2003;

  private static final int NOT_PERMITTED = 1004;
  private static final int TIMED_OUT = 1008;
  private static final int LIMIT_REACHED = 2004;

  /** The system's ECANCELED. */
  private static final int CANCELLED = 125;

  private BrpcError() {}

  /** Returns the code of any failure: what is not known is internal. */
  static int of(Throwable failure) {
    return failure instanceof InferenceException known ? of(known.code()) : INTERNAL;
  }

  static int of(ErrorCode code) {
    return switch (code) {
      case INVALID_ARGUMENT, FAILED_PRECONDITION, OUT_OF_RANGE, NOT_FOUND, TOO_LARGE -> BAD_REQUEST;
      case UNIMPLEMENTED -> NO_METHOD;
      case UNAUTHENTICATED, PERMISSION_DENIED -> NOT_PERMITTED;
      case DEADLINE_EXCEEDED -> TIMED_OUT;
      case CANCELLED -> CANCELLED;
      case RESOURCE_EXHAUSTED -> LIMIT_REACHED;
      case UNAVAILABLE -> STOPPING;
      case INTERNAL, UNKNOWN, DATA_LOSS, ABORTED, ALREADY_EXISTS -> INTERNAL;
    };
  }
}
