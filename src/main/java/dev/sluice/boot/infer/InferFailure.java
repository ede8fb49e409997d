package dev.sluice.boot.infer;

/** The reason why a request got no response, in words for its sender. Carries no stack trace. */
public final class InferFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int status;

  /** Without a status of HTTP. */
  InferFailure(String message) {
    this(0, message);
  }

  InferFailure(int status, String message) {
    super(message, null, false, false);
    this.status = status;
  }

  /** Returns the status of HTTP that the server has answered with; 0 if it has not. */
  int status() {
    return status;
  }
}
