package dev.sluice.boot.infer;

/** The reason why a request got no response, in words for its sender. Carries no stack trace. */
final class InferFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  InferFailure(String message) {
    super(message, null, false, false);
  }
}
