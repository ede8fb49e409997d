package dev.sluice.protocol.openai.generation;

import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.codec.JsonWriter;
import io.vertx.core.buffer.Buffer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The form of failures: an object with a text, a type, and the parameter that is at fault. */
public final class OpenAiError {
  /** Texts about a parameter begin with its name: ours, and those of the sampler. */
  private static final Pattern PARAMETER =
      Pattern.compile("parameter \"([A-Za-z0-9_.\\[\\]]{1,64})\"");

  private OpenAiError() {}

  /** Makes the error for a parameter that is not what was wanted. */
  public static InferenceException parameter(String name, String got, String wanted) {
    return InferenceException.invalid(
        "parameter \"" + name + "\" is " + got + "; wanted " + wanted);
  }

  /** Returns the body of a failure's answer. */
  public static Buffer of(InferenceException failure) {
    return of(failure.getMessage(), type(failure), code(failure));
  }

  /**
   * Returns the body of a refusal.
   *
   * @param code for programs; empty for none
   */
  public static Buffer of(String message, String type, String code) {
    var out = new JsonWriter(128 + message.length());
    out.raw("{\"error\":{\"message\":").string(message).raw(",\"type\":").string(type);
    Matcher parameter = PARAMETER.matcher(message);
    nullable(out.raw(",\"param\":"), parameter.lookingAt() ? parameter.group(1) : "");
    nullable(out.raw(",\"code\":"), code);
    return out.raw("}}").toBuffer();
  }

  private static void nullable(JsonWriter out, String text) {
    if (text.isEmpty()) {
      out.raw("null");
    } else {
      out.string(text);
    }
  }

  private static String type(InferenceException failure) {
    return switch (failure.code()) {
      case INVALID_ARGUMENT,
          FAILED_PRECONDITION,
          OUT_OF_RANGE,
          NOT_FOUND,
          TOO_LARGE,
          UNIMPLEMENTED,
          ALREADY_EXISTS,
          CANCELLED ->
          "invalid_request_error";
      case UNAUTHENTICATED -> "authentication_error";
      case PERMISSION_DENIED -> "permission_error";
      case RESOURCE_EXHAUSTED -> "rate_limit_error";
      case UNAVAILABLE, DEADLINE_EXCEEDED, DATA_LOSS, ABORTED, UNKNOWN, INTERNAL -> "server_error";
    };
  }

  /** Returns a word for a failure, for programs: its code, or its type if it has none. */
  public static String word(InferenceException failure) {
    String code = code(failure);
    return code.isEmpty() ? type(failure) : code;
  }

  private static String code(InferenceException failure) {
    return switch (failure.code()) {
      case UNAUTHENTICATED -> "invalid_api_key";
      case NOT_FOUND -> failure.isOfNoPath() ? "not_found" : "model_not_found";
      case RESOURCE_EXHAUSTED -> "rate_limit_exceeded";
      default -> failure.isBeyondContext() ? "context_length_exceeded" : "";
    };
  }
}
