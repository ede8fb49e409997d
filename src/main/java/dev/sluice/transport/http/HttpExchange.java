package dev.sluice.transport.http;

import dev.sluice.inference.Deadline;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.security.Credentials;
import dev.sluice.telemetry.access.AccessEntry;
import dev.sluice.telemetry.load.LoadReportFormat;
import dev.sluice.telemetry.meter.EntryPoint;
import dev.sluice.tensor.MemoryBudget.Kind;
import dev.sluice.transport.AnsweredRequest;
import dev.sluice.transport.ArrivalDeadlines;
import dev.sluice.transport.Body;
import dev.sluice.transport.ListenerContext;
import dev.sluice.transport.ListenerExchange;
import dev.sluice.transport.ReportHeaders;
import dev.sluice.transport.RetryAfter;
import dev.sluice.transport.connection.MalformedRequest;
import dev.sluice.transport.connection.ResponseDate;
import dev.sluice.transport.netty.ConnectionCredentials;
import dev.sluice.transport.netty.ConnectionInternals;
import dev.sluice.transport.netty.http2.Http2Guard;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP request and the one answer to it.
 *
 * <p>Of the connection's event loop. A rejected request that may be repeated gets {@code
 * Retry-After}.
 */
public final class HttpExchange extends ListenerExchange {
  private static final CharSequence JSON = HttpHeaders.createOptimized("application/json");

  private static final Buffer NO_MEMORY =
      Buffer.buffer(
          "{\"error\":\"the server has no memory for the answer (setting limits.memory)\"}");

  private static final CharSequence CHALLENGE =
      HttpHeaders.createOptimized("Bearer realm=\"sluice\"");

  private static final int FIRST_ERROR = 400;
  private static final int UNAVAILABLE = 503;

  /** The delay before a retry, where nothing better is known. */
  private static final Duration SOON = Duration.ofSeconds(1);

  private final HttpServerRequest request;
  private final HttpRoutes routes;
  private final ArrivalDeadlines deadlines;

  /** True if the client was asked for the body that it has announced. */
  private boolean continued;

  /** True if pages of other origins may read the answer. */
  private boolean shared;

  HttpExchange(
      HttpServerRequest request,
      ListenerContext context,
      HttpRoutes routes,
      ArrivalDeadlines deadlines,
      String requestId) {
    super(
        context,
        EntryPoint.REST,
        requestId,
        context.memory().account(ConnectionInternals.channel(request.connection())));
    this.request = request;
    this.routes = routes;
    this.deadlines = deadlines;
    request.response().exceptionHandler(this::broken);
    request.response().closeHandler(_ -> cancelled());
  }

  /** A body that is malformed has a client that waits for an answer: who reads it refuses it. */
  private void broken(Throwable failure) {
    if (MalformedRequest.refusal(failure) == null) {
      cancelled();
    }
  }

  /** Reads until when the answer is wanted. A header that says it in no form we know is refused. */
  void readDeadline() {
    try {
      readDeadline(_ -> Deadline.NONE, request::getHeader);
    } catch (InferenceException e) {
      refuseHead(e);
    }
  }

  /** Returns the request's method. */
  public HttpMethod method() {
    return request.method();
  }

  /**
   * Returns the path as it was sent: still percent-encoded, without the query. Empty if the target
   * has none.
   */
  @Override
  public String path() {
    String path = request.path();
    return path == null ? "" : path;
  }

  /** Returns the whole request target as it was sent. */
  public String target() {
    return request.uri();
  }

  /** Returns the query as it was sent, without the question mark; empty if there is none. */
  public String query() {
    String query = request.query();
    return query == null ? "" : query;
  }

  /** Returns a request header's first value. */
  public @Nullable String header(CharSequence name) {
    return request.getHeader(name);
  }

  /** Returns the request's headers whose names begin like that, names in lower case. */
  public Map<String, String> headers(String prefix) {
    Map<String, String> found = new LinkedHashMap<>();
    for (var header : request.headers()) {
      String name = header.getKey().toLowerCase(Locale.ROOT);
      if (name.startsWith(prefix)) {
        found.putIfAbsent(name, header.getValue());
      }
    }
    return found;
  }

  /** Returns the request's headers, in the order in which they came. */
  public MultiMap headers() {
    return request.headers();
  }

  /** Lets pages of other origins read the answer, which is none of a control operation. */
  void share() {
    shared = true;
    Cors.allow(this);
  }

  @Override
  protected @Nullable InferenceException controlRefusal() {
    if (shared) {
      throw new IllegalStateException("control was taken for something else: " + path());
    }
    return context().guard().controlRefusal(request);
  }

  @Override
  public @Nullable Object peer() {
    return request.remoteAddress();
  }

  @Override
  protected AccessEntry.Target accessTarget() {
    return AnsweredRequest.target(request, AnsweredRequest.protocol(request), requestId());
  }

  @Override
  protected AccessEntry.Answer accessAnswer() {
    return AnsweredRequest.answer(request, AccessEntry.NONE);
  }

  private void cancelled() {
    if (!request.response().ended()) {
      leave();
      finish();
    }
  }

  /**
   * Returns the whole body, its content coding undone.
   *
   * <p>Fails with TOO_LARGE beyond the listener's limits, UNIMPLEMENTED for an unknown coding and
   * INVALID_ARGUMENT for a damaged one. Call it at once, before the first byte of the body is
   * consumed.
   */
  public Future<Body> body() {
    requireDecided();
    return received(new BodyReader(request, this, context(), BodyReader.NO_TENSOR).read());
  }

  /**
   * Returns the whole body, as {@link #body()}, but a large one whose length was announced lies in
   * native memory, where tensors can be cut from it.
   *
   * @param tensorAt where in the body raw bytes of a tensor begin; negative if they do not
   * @param work borrows the body until its future is complete
   */
  public <T> Future<T> body(long tensorAt, Function<Body, Future<T>> work) {
    requireDecided();
    return received(new BodyReader(request, this, context(), tensorAt).read())
        .compose(body -> body.closeAfter(work));
  }

  private Future<Body> received(Future<Body> body) {
    return record().isTraced() ? body.onSuccess(_ -> record().received()) : body;
  }

  /** Has the deadline watched while the body arrives. */
  void arriving(Consumer<InferenceException> expire) {
    arriving(deadlines, deadline(), expire);
  }

  /** Asks a client for its body that waits for that. */
  void awaitBody() {
    if (expectsContinue()) {
      continued = true;
      request.response().writeContinue();
    }
  }

  private boolean expectsContinue() {
    // HTTP/1.0 has no such answer: RFC 9110, section 10.1.1.
    return request.version() != HttpVersion.HTTP_1_0
        && "100-continue".equalsIgnoreCase(request.getHeader(HttpHeaders.EXPECT));
  }

  /**
   * Closes the connection behind an answer to a client that waits to send its body: whether it
   * still sends it is not known (RFC 9110, section 10.1.1), and the next request would be taken for
   * it.
   */
  private void closeBehindUnsentBody() {
    if (!continued
        && !request.isEnded()
        && request.version() == HttpVersion.HTTP_1_1
        && expectsContinue()) {
      putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
    }
  }

  /** Answers with JSON. */
  public void json(int status, Buffer body) {
    answer(status, JSON, body);
  }

  /** Answers with a status and nothing else. */
  public void empty(int status) {
    requireDecided(status);
    record().succeeded();
    if (open()) {
      sayWhenToRetry(status);
      report();
      closeBehindUnsentBody();
      Http2Guard.answering(request);
      sent(request.response().setStatusCode(status).end());
    }
  }

  /** Gives back what the exchange holds when the client has taken the answer, or has left. */
  void sent(Future<Void> written) {
    written.onComplete(_ -> finish());
  }

  /** Answers. Does nothing if the caller disconnected or was answered. */
  public void answer(int status, CharSequence contentType, Buffer body) {
    requireDecided(status);
    record().succeeded();
    if (!open()) {
      return;
    }
    HttpServerResponse response = request.response();
    try {
      holdAnswer(body.length());
    } catch (InferenceException e) {
      memory().releaseAll(Kind.ANSWER);
      explain(e);
      json(HttpStatus.of(e.code()), NO_MEMORY);
      return;
    }
    sayWhenToRetry(status);
    report();
    closeBehindUnsentBody();
    Http2Guard.answering(request);
    response.setStatusCode(status).putHeader(HttpHeaders.CONTENT_TYPE, contentType);
    if (request.method().equals(HttpMethod.HEAD)) {
      sent(response.putHeader(HttpHeaders.CONTENT_LENGTH, Integer.toString(body.length())).end());
    } else {
      sent(response.end(body));
    }
  }

  /** Begins an answer that is sent piece by piece. Not if anything was answered. */
  public ChunkedResponse chunked(int status, CharSequence contentType) {
    requireDecided(status);
    return new ChunkedResponse(request, status, contentType, this);
  }

  /** Sets a header of the answer. */
  public HttpExchange putHeader(CharSequence name, CharSequence value) {
    if (!request.response().headWritten()) {
      request.response().putHeader(name, value);
    }
    return this;
  }

  @Override
  protected Credentials credentials() {
    return ConnectionCredentials.of(request.headers(), request.connection());
  }

  /** The answer to a browser's question before a page's request needs no right. */
  void preflight() {
    needNothing();
  }

  /**
   * Allows an answer to every caller, valid credential or not: a file that is the same for all and
   * says nothing of the server or its models.
   */
  public void requireNothing() {
    needNothing();
  }

  /** Rejects a request for which the protocol handler named no operation. */
  private void requireDecided(int status) {
    if (status < FIRST_ERROR) {
      requireDecided();
    }
  }

  private void requireDecided() {
    if (!isDecided()) {
      throw new IllegalStateException("no operation was required for " + method() + " " + path());
    }
  }

  /** Says when trying again may work. */
  public void retryAfter(Duration time) {
    putHeader(HttpHeaders.RETRY_AFTER, Long.toString(RetryAfter.seconds(time)));
  }

  /** Clients and proxies that see 503 wait for Retry-After, or do not wait at all. */
  private void sayWhenToRetry(int status) {
    if (status == UNAVAILABLE && !request.response().headers().contains(HttpHeaders.RETRY_AFTER)) {
      retryAfter(SOON);
    }
  }

  @Override
  protected String spanName() {
    String route = routes.template(path());
    return route == null ? method().name() : method().name() + " " + route;
  }

  @Override
  protected void describe(Map<String, Object> facts) {
    facts.put("http.request.method", method().name());
    facts.put("url.path", path());
    facts.put("url.scheme", request.isSSL() ? "https" : "http");
    facts.put("http.response.status_code", request.response().getStatusCode());
    String route = routes.template(path());
    if (route != null) {
      facts.put("http.route", route);
    }
  }

  /**
   * Tells the client the time, and if it has asked for it how long each stage took, so far, as this
   * is the head, and how busy the server is.
   */
  void report() {
    putHeader(HttpHeaders.DATE, ResponseDate.now());
    String times = record().serverTiming();
    if (times != null) {
      putHeader(ReportHeaders.TIMES, times);
    }
    LoadReportFormat format = loadFormat();
    if (format != null) {
      putHeader(ReportHeaders.LOAD, format.header(context().telemetry().load().report()));
    }
  }

  private boolean open() {
    return !request.response().ended() && !request.response().closed();
  }

  /**
   * Returns the text that tells the client of a failure: an {@link InferenceException} as it is.
   * Anything else is a bug: it is logged here, and the client sees no more than that something
   * failed.
   */
  public InferenceException explain(Throwable failure) {
    record().failed(ErrorCode.of(failure));
    if (failure instanceof InferenceException known) {
      context().failed(this, known);
      if (known.code() == ErrorCode.UNAUTHENTICATED) {
        putHeader("WWW-Authenticate", CHALLENGE);
      }
      if (known.mayRetry()) {
        retryAfter(known.retryAfter());
      }
      return known;
    }
    context().bug(this, failure);
    return new InferenceException(ErrorCode.INTERNAL, "internal error");
  }
}
