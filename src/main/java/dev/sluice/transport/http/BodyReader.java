package dev.sluice.transport.http;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.tensor.MemoryAccount;
import dev.sluice.tensor.MemoryBudget.Kind;
import dev.sluice.transport.Body;
import dev.sluice.transport.ByteCollector;
import dev.sluice.transport.ContentCoding;
import dev.sluice.transport.ListenerContext;
import dev.sluice.transport.connection.MalformedRequest;
import dev.sluice.transport.connection.RequestMemory;
import io.netty.buffer.ByteBuf;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Collects a request's body within limits. A body that is too large fails at once; what is still to
 * come of it is read and dropped, so that the client gets to see the answer.
 */
final class BodyReader {
  /** Marks a body as without a known raw tensor. */
  static final long NO_TENSOR = -1;

  private final HttpServerRequest request;
  private final ListenerContext context;
  private final HttpExchange exchange;
  private final MemoryAccount memory;
  private final long limit;
  private final Promise<Body> whole = Promise.promise();
  private final ByteCollector collected = new ByteCollector();
  private final long tensorAt;
  private final @Nullable String coding;
  private RequestMemory.@Nullable Wait wait;
  private boolean announcedAll;
  private boolean ended;

  /**
   * @param exchange whose memory the body is
   * @param tensorAt where in the body raw bytes of a tensor begin, or {@link #NO_TENSOR}
   */
  BodyReader(
      HttpServerRequest request, HttpExchange exchange, ListenerContext context, long tensorAt) {
    this.request = request;
    this.context = context;
    this.exchange = exchange;
    this.memory = exchange.memory();
    this.limit = context.limits().maxBodySize();
    this.tensorAt = tensorAt;
    this.coding = coding(request);
  }

  /** The one coding of the body, or all of several, which are none that is undone here. */
  private static @Nullable String coding(HttpServerRequest request) {
    if (request.getHeader(HttpHeaders.CONTENT_ENCODING) == null) {
      return null;
    }
    String codings =
        request.headers().getAll(HttpHeaders.CONTENT_ENCODING).stream()
            .flatMap(line -> Stream.of(line.split(",", -1)))
            .map(String::strip)
            .filter(coding -> !coding.isEmpty() && !coding.equalsIgnoreCase("identity"))
            .collect(Collectors.joining(", "));
    return codings.isEmpty() ? null : codings;
  }

  Future<Body> read() {
    if (request.isEnded()) {
      return Future.succeededFuture(Body.EMPTY);
    }
    request.handler(this::take);
    request.endHandler(_ -> end());
    request.exceptionHandler(this::broken);
    exchange.arriving(this::fail);
    continueOrRefuse();
    return coding == null ? whole.future() : whole.future().compose(this::inflate);
  }

  private void broken(Throwable failure) {
    InferenceException refusal = MalformedRequest.refusal(failure);
    if (refusal == null) {
      fail(ErrorCode.CANCELLED, "the connection closed before the body was complete");
    } else {
      exchange.putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
      fail(refusal);
    }
  }

  private void continueOrRefuse() {
    long announced = announcedLength();
    if (announced > limit) {
      refuse(announced + " bytes");
    } else if (announced > memory.budget().largestBody()) {
      refuseLarge(announced);
    } else if (announced < 0) {
      exchange.awaitBody();
    } else {
      announcedAll = true;
      reserve(announced);
    }
  }

  /** Reserves the whole of what was announced before any of it is read. */
  private void reserve(long announced) {
    if (RequestMemory.tryHold(memory, announced, announced)) {
      begin(announced);
    } else {
      pauseUntil(() -> memory.tryCharge(Kind.BODY, announced), () -> begin(announced), announced);
    }
  }

  private void begin(long announced) {
    collected.expect(announced);
    if (tensorAt >= 0 && coding == null && collected.isLarge()) {
      collected.land(tensorAt);
      // Native memory is counted where it is made.
      memory.moveToTensor(Kind.BODY);
      ZeroCopyBodyChunks.take(request, this::takeViews);
    }
    exchange.awaitBody();
  }

  /** Reads nothing more of the client until there is memory, and refuses it if there is none. */
  private void pauseUntil(BooleanSupplier attempt, Runnable then, long asked) {
    request.pause();
    wait =
        context
            .memory()
            .await(
                memory.share(),
                context.vertx(),
                attempt,
                succeeded -> {
                  wait = null;
                  if (succeeded) {
                    then.run();
                  } else {
                    fail(context.memory().busy(memory.refusal(Kind.BODY, asked)));
                  }
                  request.resume();
                });
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

  private void takeViews(ByteBuf chunk) {
    if (accepts(chunk.readableBytes())) {
      collected.addView(chunk);
    }
  }

  private boolean accepts(int more) {
    if (ended) {
      return false;
    }
    long size = collected.size() + (long) more;
    if (size > limit || !collected.fits(more)) {
      refuse("more than " + limit + " bytes");
    } else if (!announcedAll) {
      holdMore(size, more);
    }
    return !ended;
  }

  /** Charges a piece of a body whose length was not announced. It is here, so it is counted. */
  private void holdMore(long size, int more) {
    if (size > memory.budget().largestBody()) {
      refuseLarge(size);
    } else if (!RequestMemory.tryHold(memory, size, more)) {
      memory.force(Kind.BODY, more);
      if (wait == null) {
        pauseUntil(() -> memory.budget().free(Long.MAX_VALUE) > 0, () -> {}, more);
      }
    }
  }

  /** The consumer of the body joins it on a worker if it came in many large pieces. */
  private void end() {
    if (!ended) {
      ended = true;
      exchange.arrived();
      long work = collected.joinedBytes();
      if (work == 0) {
        whole.complete(collected.toBody());
      } else {
        exchange.compute(work, collected::toBody).onComplete(whole);
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

  private void refuseLarge(long size) {
    fail(
        ErrorCode.TOO_LARGE,
        "the request body has %d bytes, of which the memory budget holds %d at most (setting limits.memory)"
            .formatted(size, memory.budget().largestBody()));
  }

  private void fail(ErrorCode code, String message) {
    fail(new InferenceException(code, message));
  }

  private void fail(InferenceException why) {
    if (wait != null) {
      wait.cancel();
      wait = null;
      request.resume();
    }
    if (!ended) {
      ended = true;
      exchange.arrived();
      collected.clear();
      memory.releaseAll(Kind.BODY);
      whole.fail(why);
    }
  }

  private Future<Body> inflate(Body body) {
    long inflated = context.limits().maxInflatedSize();
    // How large it becomes is not known before, and a small body may become very large.
    return exchange
        .compute(
            body.length() * ContentCoding.MOST_RATIO,
            () -> ContentCoding.inflate(Objects.requireNonNull(coding), body, inflated))
        .recover(this::nameCodings);
  }

  /** Answers an unknown content coding with the list of known ones. */
  private Future<Body> nameCodings(Throwable failure) {
    if (ErrorCode.of(failure) == ErrorCode.UNIMPLEMENTED) {
      request.response().putHeader(HttpHeaders.ACCEPT_ENCODING, "gzip, deflate");
    }
    return Future.failedFuture(failure);
  }
}
