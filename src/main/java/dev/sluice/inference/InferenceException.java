package dev.sluice.inference;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A failure with a code and a text that a client may see: what is wrong, what was got, what was
 * wanted. What it repeats of a request is bounded, see {@link BoundedText}. Carries a stack trace
 * only where the server is at fault, because the others happen often, and most often when the
 * server has no time for it.
 */
public final class InferenceException extends RuntimeException {
  /** The delay before a retry when nothing better is known. */
  private static final Duration SOON = Duration.ofSeconds(1);

  private final ErrorCode code;
  private final Duration retryAfter;
  private final Kind kind;

  /** What is known beside the code. */
  private enum Kind {
    USUAL,
    STARTING,
    BEYOND_CONTEXT,
    NO_PATH,
    UNPROVEN_MODEL
  }

  public InferenceException(ErrorCode code, String message) {
    this(code, message, null);
  }

  public InferenceException(ErrorCode code, String message, @Nullable Throwable cause) {
    this(code, message, cause, SOON, Kind.USUAL);
  }

  private InferenceException(
      ErrorCode code,
      @Nullable String message,
      @Nullable Throwable cause,
      Duration retryAfter,
      Kind kind) {
    super(
        message == null ? code.name() : BoundedText.ofError(message),
        cause,
        false,
        code.fault() == ErrorCode.Fault.SERVER);
    this.code = code;
    this.retryAfter = retryAfter;
    this.kind = kind;
  }

  /** Too much to do: RESOURCE_EXHAUSTED, and when to try again. */
  public static InferenceException busy(String message, Duration retryAfter) {
    return new InferenceException(
        ErrorCode.RESOURCE_EXHAUSTED, message, null, retryAfter, Kind.USUAL);
  }

  /**
   * Makes the error of a request for something that is still starting: UNAVAILABLE, and not worth a
   * log line each.
   */
  public static InferenceException starting(String message) {
    return starting(ErrorCode.UNAVAILABLE, message);
  }

  /** Returns the same where a protocol has another code for it. */
  public static InferenceException starting(ErrorCode code, String message) {
    return new InferenceException(code, message, null, SOON, Kind.STARTING);
  }

  /** Makes the error of something unavailable now: UNAVAILABLE, and when to try again. */
  public static InferenceException unavailable(String message, Duration retryAfter) {
    return new InferenceException(ErrorCode.UNAVAILABLE, message, null, retryAfter, Kind.USUAL);
  }

  /** Makes the error for the caller's mistake, the most frequent case. */
  public static InferenceException invalid(String message) {
    return new InferenceException(ErrorCode.INVALID_ARGUMENT, message);
  }

  /** Makes the error of a text with more tokens than the model takes: the caller's mistake. */
  public static InferenceException beyondContext(String message) {
    return new InferenceException(
        ErrorCode.INVALID_ARGUMENT, message, null, SOON, Kind.BEYOND_CONTEXT);
  }

  /** Makes the error for a path that is none: NOT_FOUND, and no model is meant. */
  public static InferenceException noPath() {
    return new InferenceException(
        ErrorCode.NOT_FOUND, "there is nothing at this path", null, SOON, Kind.NO_PATH);
  }

  /**
   * Makes the error of a model that refused the values of a request, and has accepted none since it
   * was loaded: whether the values are wrong or the model is, one such error cannot say.
   *
   * @param code INVALID_ARGUMENT, or INTERNAL if there were many of them and nothing else
   */
  public static InferenceException unprovenModel(ErrorCode code, String message) {
    return new InferenceException(code, message, null, SOON, Kind.UNPROVEN_MODEL);
  }

  /** Returns the same failure in other words, without its cause. */
  public InferenceException withText(String message) {
    return new InferenceException(code, message, null, retryAfter, kind);
  }

  /** Returns the code, which each protocol maps to a status of its own. */
  public ErrorCode code() {
    return code;
  }

  /** Returns whether trying the same again later may work: what to wait is {@link #retryAfter}. */
  public boolean mayRetry() {
    return code == ErrorCode.RESOURCE_EXHAUSTED || code == ErrorCode.UNAVAILABLE;
  }

  /** Returns whether what is asked for is on its way, as it is while a server or a model starts. */
  public boolean isStarting() {
    return kind == Kind.STARTING;
  }

  /** Returns whether there were more tokens than the model takes. */
  public boolean isBeyondContext() {
    return kind == Kind.BEYOND_CONTEXT;
  }

  /** Returns whether the request's path is none. */
  public boolean isOfNoPath() {
    return kind == Kind.NO_PATH;
  }

  /** Returns whether a model failed in itself that has answered no request since it was loaded. */
  public boolean isOfUnprovenModel() {
    return kind == Kind.UNPROVEN_MODEL;
  }

  /**
   * Returns the delay after which a retry may succeed. Means something only if it {@link
   * #mayRetry}.
   */
  public Duration retryAfter() {
    return retryAfter;
  }

  /** Returns the text for the client. Never null. */
  @Override
  public String getMessage() {
    String message = super.getMessage();
    return message == null ? code.name() : message;
  }
}
