package dev.sluice.tensor;

/** The memory budget has not as many bytes free as were asked for. Carries no stack trace. */
public final class MemoryExhausted extends RuntimeException {
  private static final long serialVersionUID = 1L;

  MemoryExhausted(long asked, long free, long limit) {
    super(
        "the server's memory budget is used up: asked for %d bytes, %d are free of %d (setting limits.memory)"
            .formatted(asked, free, limit),
        null,
        false,
        false);
  }

  private MemoryExhausted(String text) {
    super(text, null, false, false);
  }

  /** Makes the error for a stream that may not begin with so little free. */
  static MemoryExhausted ofStream(long free, long wanted, long limit) {
    return new MemoryExhausted(
        "a stream needs more of the server's memory budget to begin with: %d bytes are free of %d, wanted %d (setting limits.memory)"
            .formatted(free, limit, wanted));
  }

  /** Makes the error for a client whose share is exhausted, while the budget is not. */
  static MemoryExhausted ofShare(long asked, long held, long limit) {
    return new MemoryExhausted(
        "this client's share of the server's memory budget is used up: asked for %d bytes, its requests hold %d of %d (setting limits.memory)"
            .formatted(asked, held, limit));
  }
}
