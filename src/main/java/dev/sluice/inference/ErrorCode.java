package dev.sluice.inference;

/**
 * The reason why a request failed, independent of protocols. Each protocol handler has one table
 * from these to its own statuses, without a default, so that a new code is decided everywhere.
 */
public enum ErrorCode {
  /** The request is wrong in itself: malformed, of a wrong type or shape, out of range. */
  INVALID_ARGUMENT(Fault.CALLER),
  /** No such model, version or route. */
  NOT_FOUND(Fault.CALLER),
  /** The request is right, but not in the state the server or model is in. */
  FAILED_PRECONDITION(Fault.CALLER),
  /** The credential is not valid: an unknown key, an expired token. */
  UNAUTHENTICATED(Fault.CALLER),
  /** The policy does not allow the caller this operation. */
  PERMISSION_DENIED(Fault.CALLER),
  /** The request is well formed and goes beyond what there is. */
  OUT_OF_RANGE(Fault.CALLER),
  /** The protocol has it, this server does not. */
  UNIMPLEMENTED(Fault.CALLER),
  /** The body or message is larger than the listener takes. */
  TOO_LARGE(Fault.CALLER),
  /** The caller cancelled the request before the answer. */
  CANCELLED(Fault.CALLER),
  /** Queues are full; trying again later may work. */
  RESOURCE_EXHAUSTED(Fault.CAPACITY),
  /** The model is loading or unloading, or the server is draining. */
  UNAVAILABLE(Fault.CAPACITY),
  /** The deadline passed before the answer. */
  DEADLINE_EXCEEDED(Fault.CAPACITY),
  /** Files of a model are damaged. */
  DATA_LOSS(Fault.SERVER),
  /** The model runtime gave up because of a conflict. */
  ABORTED(Fault.SERVER),
  /** The model runtime already has what it was to create. */
  ALREADY_EXISTS(Fault.SERVER),
  /** An operation was begun and failed: models that do not load. */
  UNKNOWN(Fault.SERVER),
  /** The model, its runtime or the server failed. */
  INTERNAL(Fault.SERVER);

  /** The party at fault: decides the log level, and which error-rate graph counts it. */
  public enum Fault {
    CALLER,
    CAPACITY,
    SERVER
  }

  private final Fault fault;

  ErrorCode(Fault fault) {
    this.fault = fault;
  }

  /** Returns the party at fault: client, server, or a lack of resources. */
  public Fault fault() {
    return fault;
  }

  /** Returns the code of any failure: its own for an {@link InferenceException}, else INTERNAL. */
  public static ErrorCode of(Throwable failure) {
    return failure instanceof InferenceException known ? known.code() : INTERNAL;
  }
}
