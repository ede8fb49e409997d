package dev.sluice.transport.brpc;

import dev.sluice.inference.ErrorCode;

/** The error codes of brpc, for the page that lists them. */
public final class BrpcErrors {
  private BrpcErrors() {}

  /** Returns brpc's code of a failure. */
  public static int of(ErrorCode code) {
    return BrpcError.of(code);
  }
}
