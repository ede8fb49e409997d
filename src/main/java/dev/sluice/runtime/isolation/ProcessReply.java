package dev.sluice.runtime.isolation;

/** Replies of a model process. Values are the first byte of a message. */
final class ProcessReply {
  /** Done; what follows depends on the order. */
  static final byte DONE = 1;

  /** Not done: an error code, a text, and whether the model is unproven. */
  static final byte FAILED = 2;

  /** The outputs do not fit into their region: how many bytes they have. */
  static final byte TOO_SMALL = 3;

  private ProcessReply() {}

  /**
   * @throws IllegalArgumentException if a reply is of another kind
   */
  static void requireDone(byte kind) {
    if (kind != DONE) {
      throw new IllegalArgumentException("a reply of kind " + kind + ", wanted " + DONE);
    }
  }
}
