package dev.sluice.transport.http;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.transport.Body;
import dev.sluice.transport.ByteCollector;
import dev.sluice.transport.ContentCoding;
import dev.sluice.transport.ListenerContext;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import org.jspecify.annotations.Nullable;

/**
 * Collects a request's body within limits. A body that is too large fails at once; what is still to
 * come of it is read and dropped, so that the client gets to see the answer.
 */
final class BodyReader {
  private final HttpServerRequest request;
  private final ListenerContext context;
  private final long limit;
  private final Promise<Body> whole = Promise.promise();
  private final ByteCollector collected = new ByteCollector();

  BodyReader(HttpServerRequest request, ListenerContext context) {
    this.request = request;
    this.context = context;
    this.limit = context.limits().maxBodySize();
  }

  Future<Body> read() {
    if (request.isEnded()) {
      return Future.succeededFuture(Body.EMPTY);
    }
    request.handler(this::take);
    request.endHandler(_ -> whole.tryComplete(collected.toBody()));
    request.exceptionHandler(
        _ -> fail(ErrorCode.CANCELLED, "the connection closed before the body was complete"));
    continueOrRefuse();
    return whole.future().compose(this::inflate);
  }

  private void continueOrRefuse() {
    long announced = announcedLength();
    if (announced > limit) {
      refuse(announced + " bytes");
    } else {
      collected.expect(announced);
      if ("100-continue".equalsIgnoreCase(request.getHeader(HttpHeaders.EXPECT))) {
        request.response().writeContinue();
      }
    }
  }

  private long announcedLength() {
    String header = request.getHeader(HttpHeaders.CONTENT_LENGTH);
    try {
      return header == null ? -1 : Long.parseLong(header);
    } catch (NumberFormatException e) {
      return -1;
    }
  }

  private void take(Buffer chunk) {
    if (whole.future().isComplete()) {
      return;
    }
    if (collected.size() + chunk.length() > limit) {
      refuse("more than " + limit + " bytes");
    } else {
      collected.add(chunk);
    }
  }

  private void refuse(String size) {
    collected.clear();
    fail(
        ErrorCode.TOO_LARGE,
        "the request body has "
            + size
            + ", the limit is "
            + limit
            + " (setting limits.max_body_size)");
  }

  private void fail(ErrorCode code, String message) {
    whole.tryFail(new InferenceException(code, message));
  }

  private Future<Body> inflate(Body body) {
    @Nullable String coding = request.getHeader(HttpHeaders.CONTENT_ENCODING);
    if (coding == null || coding.equalsIgnoreCase("identity")) {
      return Future.succeededFuture(body);
    }
    long inflated = context.limits().maxInflatedSize();
    // How large it becomes is not known before, and a small body may become very large.
    return context.compute(
        body.length() * ContentCoding.LIKELY_RATIO,
        () -> ContentCoding.inflate(coding, body, inflated));
  }
}
