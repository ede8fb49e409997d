package dev.sluice.transport.grpc.method;

import dev.sluice.inference.access.Operation;

/**
 * A method and the operation that its caller must be allowed, so that no method is without one.
 *
 * @param <T> the kind of method
 */
public record AuthorizedMethod<T>(Operation operation, T method) {
  /** Returns a method with one message and one answer. */
  public static AuthorizedMethod<GrpcMethod> unary(Operation operation, GrpcMethod method) {
    return new AuthorizedMethod<>(operation, method);
  }

  /** Returns a method with streams of messages. */
  public static AuthorizedMethod<GrpcStreamMethod> stream(
      Operation operation, GrpcStreamMethod method) {
    return new AuthorizedMethod<>(operation, method);
  }
}
