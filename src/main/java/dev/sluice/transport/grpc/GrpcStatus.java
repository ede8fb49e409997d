package dev.sluice.transport.grpc;

import dev.sluice.inference.ErrorCode;

/** The one table from failures to gRPC status codes. */
public final class GrpcStatus {
  private GrpcStatus() {}

  /** The status that every service here answers a failure with. */
  public static int of(ErrorCode code) {
    return switch (code) {
      case CANCELLED -> 1;
      case UNKNOWN -> 2;
      case INVALID_ARGUMENT -> 3;
      case DEADLINE_EXCEEDED -> 4;
      case NOT_FOUND -> 5;
      case PERMISSION_DENIED -> 7;
      case TOO_LARGE, RESOURCE_EXHAUSTED -> 8;
      case FAILED_PRECONDITION -> 9;
      case UNIMPLEMENTED -> 12;
      case INTERNAL -> 13;
      case UNAVAILABLE -> 14;
      case UNAUTHENTICATED -> 16;
    };
  }
}
