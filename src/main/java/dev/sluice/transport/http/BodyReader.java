package dev.sluice.transport.http;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.transport.Body;
import dev.sluice.transport.ByteCollector;
import dev.sluice.transport.ContentCoding;
import dev.sluice.transport.ListenerContext;
import io.netty.buffer.ByteBuf;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Collects a request's body within limits. A body that is too large fails at once; what is still to
 * come of it is read and dropped, so that the client gets to see the answer.
 */
final class BodyReader {
  /** Says of a body that nobody knows of a raw tensor in it. */
  static final long NO_TENSOR = -1;

  private final HttpServerRequest request;
  private final ListenerContext context;
  private final long limit;
  private final Promise<Body> whole = Promise.promise();
  private final ByteCollector collected = new ByteCollector();
  private final long tensorAt;
  private final @Nullable String coding;
  private boolean ended;

  /**
   * @param tensorAt where in the body raw bytes of a tensor begin, or {@link #NO_TENSOR}
   */
  BodyReader(HttpServerRequest request, ListenerContext context, long tensorAt) {
    this.request = request;
    this.context = context;
    this.limit = context.limits().maxBodySize();
    this.tensorAt = tensorAt;
    this.coding = coding(request);
  }

  private static @Nullable String coding(HttpServerRequest request) {
    String coding = request.getHeader(HttpHeaders.CONTENT_ENCODING);
    if (coding == null || coding.isBlank() || coding.equalsIgnoreCase("identity")) {
      return null;
    }
    // As lenient as TensorFlow Serving, whose clients may name other codings beside it.
    return coding.toLowerCase(Locale.ROOT).contains("gzip") ? "gzip" : coding;
  }

  Future<Body> read() {
    if (request.isEnded()) {
      return Future.succeededFuture(Body.EMPTY);
    }
    request.handler(this::take);
    request.endHandler(_ -> end());
    request.exceptionHandler(
        _ -> fail(ErrorCode.CANCELLED, "the connection closed before the body was complete"));
    continueOrRefuse();
    return coding == null ? whole.future() : whole.future().compose(this::inflate);
  }

  private void continueOrRefuse() {
    long announced = announcedLength();
    if (announced > limit) {
      refuse(announced + " bytes");
    } else {
      collected.expect(announced);
      if (tensorAt >= 0 && coding == null && collected.isLarge()) {
        collected.land(tensorAt);
        DirectPieces.take(request, this::takeBorrowed);
      }
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
    if (accepts(chunk.length())) {
      collected.add(chunk);
    }
  }

  private void takeBorrowed(ByteBuf chunk) {
    if (accepts(chunk.readableBytes())) {
      collected.addBorrowed(chunk);
    }
  }

  private boolean accepts(int more) {
    if (ended) {
      return false;
    }
    boolean fits = collected.size() + (long) more <= limit && collected.fits(more);
    if (!fits) {
      refuse("more than " + limit + " bytes");
    }
    return fits;
  }

  /** Whoever goes on with the body joins it on a worker if it came in many large pieces. */
  private void end() {
    if (!ended) {
      ended = true;
      long work = collected.joinedBytes();
      if (work == 0) {
        whole.complete(collected.toBody());
      } else {
        context.compute(work, collected::toBody).onComplete(whole);
      }
    }
  }

  private void refuse(String size) {
    fail(
        ErrorCode.TOO_LARGE,
        "the request body has "
            + size
            + ", the limit is "
            + limit
            + " (setting limits.max_body_size)");
  }

  private void fail(ErrorCode code, String message) {
    if (!ended) {
      ended = true;
      collected.clear();
      whole.fail(new InferenceException(code, message));
    }
  }

  private Future<Body> inflate(Body body) {
    long inflated = context.limits().maxInflatedSize();
    // How large it becomes is not known before, and a small body may become very large.
    return context
        .compute(
            body.length() * ContentCoding.MOST_RATIO,
            () -> ContentCoding.inflate(Objects.requireNonNull(coding), body, inflated))
        .onFailure(this::nameCodings);
  }

  /** Tells the client of a coding that nobody knows here which ones are known. */
  private void nameCodings(Throwable failure) {
    if (ErrorCode.of(failure) == ErrorCode.UNIMPLEMENTED) {
      request.response().putHeader(HttpHeaders.ACCEPT_ENCODING, "gzip, deflate");
    }
  }
}
