package dev.sluice.transport.connection;

import dev.sluice.inference.BoundedText;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import org.jspecify.annotations.Nullable;

/**
 * Thrown for bytes that are no HTTP/1.1 request, or one that a proxy could understand differently,
 * or one whose head takes more than there is for it. It is answered once, and nothing behind it is
 * read: where the next request begins is not known. Immutable; any thread.
 */
public final class MalformedRequest extends RuntimeException {
  public static final int BAD_REQUEST = 400;
  public static final int NOT_IMPLEMENTED = 501;
  public static final int VERSION_NOT_SUPPORTED = 505;
  public static final int TOO_MANY_REQUESTS = 429;
  public static final int HEADERS_TOO_LARGE = 431;
  private static final int TARGET_TOO_LONG = 414;

  private final int status;
  private final String text;

  public MalformedRequest(int status, String text) {
    super(text, null, false, false);
    this.text = BoundedText.ofError(text);
    this.status = status;
  }

  /** Returns what a decoder found wrong with the head of a request. */
  public static MalformedRequest head(Throwable found) {
    if (found instanceof MalformedRequest known) {
      return known;
    }
    int status =
        switch (found) {
          case TooLongHttpLineException _ -> TARGET_TOO_LONG;
          case TooLongHttpHeaderException _ -> HEADERS_TOO_LARGE;
          default -> BAD_REQUEST;
        };
    return new MalformedRequest(status, "the head of the request is malformed: " + text(found));
  }

  /** Returns what a decoder found wrong with the body of a request, which came in chunks. */
  public static MalformedRequest body(Throwable found) {
    return found instanceof MalformedRequest known
        ? known
        : new MalformedRequest(
            BAD_REQUEST, "the chunks of the request body are malformed: " + text(found));
  }

  private static String text(Throwable found) {
    String text = found.getMessage();
    // What looks like a second status line in an answer deceives those who search for one.
    return text == null ? found.getClass().getSimpleName() : text.replace("HTTP/", "HTTP ");
  }

  /** Returns the text of the answer. */
  public String text() {
    return text;
  }

  /** Returns the status of the answer. */
  public int status() {
    return status;
  }

  /**
   * Returns how to answer a request whose body broke off: null if its client disconnected, and no
   * client is there to read it.
   */
  public static @Nullable InferenceException refusal(Throwable broken) {
    return broken instanceof MalformedRequest malformed
        ? new InferenceException(ErrorCode.INVALID_ARGUMENT, malformed.text, malformed)
        : null;
  }
}
