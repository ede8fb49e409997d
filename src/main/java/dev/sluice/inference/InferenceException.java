package dev.sluice.inference;

import org.jspecify.annotations.Nullable;

/**
 * A failure with a code and a text that a client may see: what is wrong, what was got, what was
 * wanted. Carries a stack trace only where the server is at fault, because the others happen often,
 * and most often when the server has no time for it.
 */
public final class InferenceException extends RuntimeException {
  private final ErrorCode code;

  public InferenceException(ErrorCode code, String message) {
    this(code, message, null);
  }

  public InferenceException(ErrorCode code, String message, @Nullable Throwable cause) {
    super(message, cause, false, code.fault() == ErrorCode.Fault.SERVER);
    this.code = code;
  }

  /** The caller's mistake, the most frequent case. */
  public static InferenceException invalid(String message) {
    return new InferenceException(ErrorCode.INVALID_ARGUMENT, message);
  }

  public ErrorCode code() {
    return code;
  }

  /** The text for the client. Never null. */
  @Override
  public String getMessage() {
    String message = super.getMessage();
    return message == null ? code.name() : message;
  }
}
