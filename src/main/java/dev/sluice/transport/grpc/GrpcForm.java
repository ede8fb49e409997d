package dev.sluice.transport.grpc;

import io.netty.handler.codec.http2.Http2Headers;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The ways in which gRPC comes over HTTP.
 *
 * <p>Decided by the content type alone: {@code application/grpc}, {@code application/grpc-web} and
 * {@code application/grpc-web-text}.
 */
enum GrpcForm {
  /** Plain gRPC, which needs HTTP/2 and its trailers. */
  GRPC("application/grpc"),
  /** gRPC-Web: the trailers are one more frame of the body. */
  WEB("application/grpc-web"),
  /** gRPC-Web for old browsers: the same in base64. */
  WEB_TEXT("application/grpc-web-text");

  private final String type;

  /** Returns the name of the protocol in logs. */
  String protocol() {
    return this == GRPC ? "gRPC" : "gRPC-Web";
  }

  GrpcForm(String type) {
    this.type = type;
  }

  /** Returns the form of a request, or null if its content type is none of these. */
  static @Nullable GrpcForm of(HttpServerRequest request) {
    String type = request.getHeader(HttpHeaders.CONTENT_TYPE);
    GrpcForm form = type.equals(GRPC.type) ? GRPC : of(lowerCase(type));
    return form == GRPC && request.version() != HttpVersion.HTTP_2 ? null : form;
  }

  /** Returns whether a request over HTTP/2 is plain gRPC. */
  static boolean isPlain(Http2Headers headers) {
    CharSequence type = headers.get(HttpHeaders.CONTENT_TYPE);
    return type != null && (GRPC.type.contentEquals(type) || of(lowerCase(type)) == GRPC);
  }

  private static String lowerCase(CharSequence type) {
    return type.toString().toLowerCase(Locale.ROOT);
  }

  private static @Nullable GrpcForm of(String type) {
    for (GrpcForm form : values()) {
      if (form.covers(type)) {
        return form;
      }
    }
    return null;
  }

  /**
   * Returns whether the content type is this form's; it may be followed by the message format,
   * which is protobuf here and nothing else.
   */
  private boolean covers(String contentType) {
    int end = contentType.indexOf(';');
    String bare = (end < 0 ? contentType : contentType.substring(0, end)).strip();
    return bare.equals(type) || bare.equals(type + "+proto");
  }

  /** Returns the content type of the answer. */
  String answerType() {
    return this == GRPC ? type : type + "+proto";
  }
}
