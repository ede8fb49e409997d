package dev.sluice.extension;

/**
 * A failure whose text and kind the caller gets, in the form of its protocol. Thrown, or returned
 * for one of several requests.
 */
public final class Refusal extends RuntimeException implements Outcome {
  /** The kind of a failure. */
  public enum Kind {
    /** The request, in itself. */
    INVALID_ARGUMENT,
    /** Something that the request names is not there. */
    NOT_FOUND,
    /** The request is right, but not now. */
    FAILED_PRECONDITION,
    /** There is too much to do; trying again later may work. */
    RESOURCE_EXHAUSTED,
    /** Something that is needed cannot be reached. */
    UNAVAILABLE,
    /** The model. */
    INTERNAL
  }

  private final Kind kind;

  public Refusal(Kind kind, String message) {
    super(message, null, false, kind == Kind.INTERNAL);
    this.kind = kind;
  }

  /** Makes the error for the caller's mistake, the most frequent case. */
  public static Refusal invalid(String message) {
    return new Refusal(Kind.INVALID_ARGUMENT, message);
  }

  /** Returns the kind of failure, from which each protocol derives its status. */
  public Kind kind() {
    return kind;
  }
}
