package dev.sluice.transport.grpc;

import dev.sluice.inference.ErrorCode;

/**
 * The one table from failures to gRPC status codes.
 *
 * <p>No default branch: a new error code does not compile until it has a status.
 */
public final class GrpcStatus {
  private GrpcStatus() {}

  /** Returns the status that every service here answers a failure with. */
  public static int of(ErrorCode code) {
    return switch (code) {
      case CANCELLED -> 1;
      case UNKNOWN -> 2;
      case INVALID_ARGUMENT -> 3;
      case DEADLINE_EXCEEDED -> 4;
      case NOT_FOUND -> 5;
      case ALREADY_EXISTS -> 6;
      case PERMISSION_DENIED -> 7;
      case TOO_LARGE, RESOURCE_EXHAUSTED -> 8;
      case FAILED_PRECONDITION -> 9;
      case ABORTED -> 10;
      case OUT_OF_RANGE -> 11;
      case UNIMPLEMENTED -> 12;
      case INTERNAL -> 13;
      case UNAVAILABLE -> 14;
      case DATA_LOSS -> 15;
      case UNAUTHENTICATED -> 16;
    };
  }
}
