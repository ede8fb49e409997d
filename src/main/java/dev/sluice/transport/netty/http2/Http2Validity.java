package dev.sluice.transport.netty.http2;

import static io.netty.handler.codec.http2.Http2Exception.streamError;

import dev.sluice.transport.connection.RequestTarget;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Headers.PseudoHeaderName;
import org.jspecify.annotations.Nullable;

/**
 * Finds what makes the head of an HTTP/2 stream malformed (RFC 9113, section 8.1.1) and what
 * neither Netty nor Vert.x look at, or for which they close the connection. Through a proxy a
 * connection carries the streams of many clients: only the stream is reset. Netty itself looks at
 * the names of headers, at characters of values, at duplicates, and at lengths.
 */
final class Http2Validity {
  /** Characters of a method besides letters and digits (RFC 9110, section 5.6.2). */
  private static final String TOKEN_MARKS = "!#$%&'*+-.^_`|~";

  /** Method, scheme, authority and path. */
  private static final int PSEUDO_HEADERS = 4;

  private static final String SCHEME_MARKS = "+-.";

  private Http2Validity() {}

  /**
   * Counts the headers at the beginning of a stream, or its trailers.
   *
   * @param most of them, pseudo headers not counted
   * @throws Http2Exception that answers the stream with 431, or resets it at its trailers
   */
  static void checkCount(int streamId, Http2Headers headers, int most) throws Http2Exception {
    if (headers.size() > most + PSEUDO_HEADERS) {
      throw Http2Exception.headerListSizeError(
          streamId,
          // A head is answered, which is no error of the stream; trailers may come too late for
          // that.
          headers.method() == null ? Http2Error.ENHANCE_YOUR_CALM : Http2Error.NO_ERROR,
          true,
          "a stream is refused: it has more than %d headers (setting limits.max_header_fields)",
          most);
    }
  }

  /**
   * Looks at the headers at the beginning of a stream but its path, or at its trailers, which name
   * no method.
   *
   * @throws Http2Exception that resets the stream
   */
  static void check(int streamId, Http2Headers headers) throws Http2Exception {
    CharSequence method = headers.method();
    if (method == null) {
      return;
    }
    require(streamId, PseudoHeaderName.METHOD.value(), method, isToken(method, TOKEN_MARKS));
    CharSequence scheme = headers.scheme();
    if (scheme != null) {
      require(streamId, PseudoHeaderName.SCHEME.value(), scheme, isToken(scheme, SCHEME_MARKS));
    }
    CharSequence protocol = headers.get(PseudoHeaderName.PROTOCOL.value());
    if (protocol != null) {
      // RFC 8441, section 3: only where the server's settings allow it.
      require(streamId, PseudoHeaderName.PROTOCOL.value(), protocol, false);
    }
    checkLength(streamId, headers.get(HttpHeaderNames.CONTENT_LENGTH));
    checkHost(streamId, headers);
  }

  /**
   * Of several hosts, a proxy and the server could each believe another (RFC 9113, section 8.3.1).
   */
  private static void checkHost(int streamId, Http2Headers headers) throws Http2Exception {
    CharSequence host = headers.get(HttpHeaderNames.HOST);
    if (host == null) {
      return;
    }
    CharSequence authority = headers.authority();
    boolean same = authority == null || CharSequence.compare(authority, host) == 0;
    if (!same || headers.getAll(HttpHeaderNames.HOST).size() > 1) {
      throw streamError(
          streamId,
          Http2Error.PROTOCOL_ERROR,
          "a stream is reset: it names several hosts, '%s' is one",
          host);
    }
  }

  /**
   * Looks at the path at the beginning of a stream; at its trailers there is none.
   *
   * @throws Http2Exception that resets the stream
   */
  static void checkPath(int streamId, @Nullable CharSequence path) throws Http2Exception {
    if (path != null) {
      boolean begins = path.length() > 0 && (path.charAt(0) == '/' || "*".contentEquals(path));
      boolean valid = begins && RequestTarget.firstOdd(path) < 0;
      require(streamId, PseudoHeaderName.PATH.value(), path, valid);
    }
  }

  /** A list of lengths would be one to some, and none to others. */
  private static void checkLength(int streamId, @Nullable CharSequence length)
      throws Http2Exception {
    if (length == null) {
      return;
    }
    for (int i = 0; i < length.length(); i++) {
      char c = length.charAt(i);
      if (c < '0' || c > '9') {
        require(streamId, HttpHeaderNames.CONTENT_LENGTH, length, false);
      }
    }
  }

  private static boolean isToken(CharSequence text, String marks) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      if (!letter && (c < '0' || c > '9') && marks.indexOf(c) < 0) {
        return false;
      }
    }
    return text.length() > 0;
  }

  private static void require(int streamId, CharSequence name, CharSequence value, boolean valid)
      throws Http2Exception {
    if (!valid) {
      throw streamError(
          streamId, Http2Error.PROTOCOL_ERROR, "a stream is reset: '%s' is no %s", value, name);
    }
  }
}
