package dev.sluice.boot.otlp;

import io.opentelemetry.sdk.common.export.GrpcResponse;
import io.opentelemetry.sdk.common.export.GrpcStatusCode;
import io.vertx.core.http.HttpClientResponse;
import org.jspecify.annotations.Nullable;

/**
 * How a call to a collector ended.
 *
 * @param code its status
 * @param description what the collector, or a proxy before it, says of that; may be empty
 */
record GrpcOutcome(GrpcStatusCode code, String description) implements GrpcResponse {
  private static final byte[] NO_MESSAGE = {};

  /** Reads the trailers, or the headers of a response that has nothing else, once it has ended. */
  static GrpcOutcome of(HttpClientResponse response) {
    String status = trailer(response, "grpc-status");
    String message = trailer(response, "grpc-message");
    if (status == null || !status.matches("\\d{1,9}")) {
      return new GrpcOutcome(
          ofHttp(response.statusCode()),
          "HTTP status %d without a status of gRPC".formatted(response.statusCode()));
    }
    return new GrpcOutcome(
        GrpcStatusCode.fromValue(Integer.parseInt(status)), message == null ? "" : message);
  }

  private static @Nullable String trailer(HttpClientResponse response, String name) {
    String trailer = response.getTrailer(name);
    return trailer == null ? response.getHeader(name) : trailer;
  }

  /** Translates the status of a proxy, as the specification of gRPC has it. */
  private static GrpcStatusCode ofHttp(int status) {
    return switch (status) {
      case 400 -> GrpcStatusCode.INTERNAL;
      case 401 -> GrpcStatusCode.UNAUTHENTICATED;
      case 403 -> GrpcStatusCode.PERMISSION_DENIED;
      case 404 -> GrpcStatusCode.UNIMPLEMENTED;
      case 429, 502, 503, 504 -> GrpcStatusCode.UNAVAILABLE;
      default -> GrpcStatusCode.UNKNOWN;
    };
  }

  @Override
  public GrpcStatusCode getStatusCode() {
    return code;
  }

  @Override
  public String getStatusDescription() {
    return description;
  }

  @Override
  @SuppressWarnings("MutableGetter") // It is empty.
  public byte[] getResponseMessage() {
    return NO_MESSAGE;
  }
}
