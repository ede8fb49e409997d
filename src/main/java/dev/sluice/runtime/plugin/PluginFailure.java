package dev.sluice.runtime.plugin;

import dev.sluice.extension.Refusal;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import java.util.concurrent.CancellationException;

/**
 * The error that callers get when a plugin throws: its text, and never its stack trace.
 *
 * <p>A refusal of the plugin keeps its own kind; anything else is INTERNAL. The stack trace is in
 * the log.
 */
public final class PluginFailure {
  private PluginFailure() {}

  /** Returns the failure in the server's words. */
  public static InferenceException of(Throwable thrown) {
    return switch (thrown) {
      case InferenceException known -> known;
      case Refusal refusal -> new InferenceException(code(refusal.kind()), text(thrown), thrown);
      case CancellationException _ ->
          new InferenceException(ErrorCode.CANCELLED, "the request was cancelled", thrown);
      default -> new InferenceException(ErrorCode.INTERNAL, text(thrown), thrown);
    };
  }

  /** Returns a failure of the server's in a plugin's words. */
  public static Refusal refusal(InferenceException failure) {
    return new Refusal(kind(failure.code()), failure.getMessage());
  }

  private static ErrorCode code(Refusal.Kind kind) {
    return switch (kind) {
      case INVALID_ARGUMENT -> ErrorCode.INVALID_ARGUMENT;
      case NOT_FOUND -> ErrorCode.NOT_FOUND;
      case FAILED_PRECONDITION -> ErrorCode.FAILED_PRECONDITION;
      case RESOURCE_EXHAUSTED -> ErrorCode.RESOURCE_EXHAUSTED;
      case UNAVAILABLE -> ErrorCode.UNAVAILABLE;
      case INTERNAL -> ErrorCode.INTERNAL;
    };
  }

  private static Refusal.Kind kind(ErrorCode code) {
    return switch (code) {
      case INVALID_ARGUMENT, OUT_OF_RANGE, TOO_LARGE -> Refusal.Kind.INVALID_ARGUMENT;
      case NOT_FOUND -> Refusal.Kind.NOT_FOUND;
      case FAILED_PRECONDITION, UNAUTHENTICATED, PERMISSION_DENIED, UNIMPLEMENTED ->
          Refusal.Kind.FAILED_PRECONDITION;
      case RESOURCE_EXHAUSTED -> Refusal.Kind.RESOURCE_EXHAUSTED;
      case UNAVAILABLE, CANCELLED, DEADLINE_EXCEEDED -> Refusal.Kind.UNAVAILABLE;
      case UNKNOWN, INTERNAL, DATA_LOSS, ABORTED, ALREADY_EXISTS -> Refusal.Kind.INTERNAL;
    };
  }

  /** Returns an exception's own text; that of a missing class names no more than the class. */
  static String text(Throwable thrown) {
    String message = thrown.getMessage();
    return thrown instanceof Exception && message != null && !message.isBlank()
        ? message
        : thrown.toString();
  }
}
