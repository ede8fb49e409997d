package dev.sluice.transport.grpc;

import dev.sluice.inference.Deadline;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.security.Credentials;
import dev.sluice.telemetry.meter.EntryPoint;
import dev.sluice.tensor.MemoryBudget;
import dev.sluice.tensor.MemoryBudget.Kind;
import dev.sluice.transport.Body;
import dev.sluice.transport.Buffers;
import dev.sluice.transport.ByteCollector;
import dev.sluice.transport.ContentCoding;
import dev.sluice.transport.Exchange;
import dev.sluice.transport.ListenerContext;
import dev.sluice.transport.ListenerExchange;
import dev.sluice.transport.connection.MalformedRequest;
import dev.sluice.transport.connection.RequestMemory;
import dev.sluice.transport.netty.ConnectionCredentials;
import dev.sluice.transport.netty.ConnectionInternals;
import io.netty.buffer.ByteBuf;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.internal.buffer.BufferInternal;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A call with one message each way, from its first byte to its status.
 *
 * <p>The path of a call: head, admission by path and credentials, body with its memory charged,
 * decompression, method, encoding, status. Whatever fails, exactly one answer is sent.
 */
public final class UnaryCall extends ListenerExchange implements GrpcCall {
  static final CharSequence ENCODING = HttpHeaders.createOptimized("grpc-encoding");
  private static final CharSequence TIMEOUT = HttpHeaders.createOptimized("grpc-timeout");

  /** Factor that base64 and framing may add to a message of the largest size. */
  static final double TEXT_RATIO = 1.5;

  private final Origin origin;
  private final AuthorizedMethod<GrpcMethod> method;
  private final Supplier<@Nullable String> authority;
  private final Function<CharSequence, @Nullable String> headers;
  private final Iterable<Map.Entry<String, String>> allHeaders;
  private final UnaryReply reply;
  private final GrpcForm form;
  private final GrpcMessageReader reader;
  private final ByteCollector collected = new ByteCollector();
  private final long maxBody;
  private final Reading reading;
  private RequestMemory.@Nullable Wait wait;
  private boolean reserved;
  private long announced;
  private boolean arrived;
  private boolean whole;
  private boolean answered;
  private boolean seen;

  /** The reader of the call's body. */
  interface Reading {
    /** Reads no more than is on its way already. */
    void pause();

    /** Reads on. */
    void resume();
  }

  /**
   * @param authority how the request addresses the server
   * @param origin whose call it is
   * @param headers a header's value by its name
   * @param allHeaders all of them; looked at on the event loop, if at all
   * @param reply where the answer goes
   * @param reading is paused while there is no memory for the message
   */
  UnaryCall(
      Origin origin,
      AuthorizedMethod<GrpcMethod> method,
      Supplier<@Nullable String> authority,
      Function<CharSequence, @Nullable String> headers,
      Iterable<Map.Entry<String, String>> allHeaders,
      UnaryReply reply,
      Reading reading,
      GrpcForm form,
      ListenerContext context,
      String requestId) {
    super(
        context,
        EntryPoint.GRPC,
        requestId,
        context.memory().account(ConnectionInternals.channel(origin.connection())));
    this.origin = origin;
    this.method = method;
    this.authority = authority;
    this.headers = headers;
    this.allHeaders = allHeaders;
    this.reply = reply;
    this.reading = reading;
    this.form = form;
    long maxMessage = context.limits().maxBodySize();
    this.reader =
        new GrpcMessageReader(
            headers.apply(ENCODING), maxMessage, context.limits().maxInflatedSize());
    this.maxBody = maxMessage + GrpcReply.PREFIX;
  }

  @Override
  protected @Nullable InferenceException controlRefusal() {
    return context().guard().controlRefusal("POST", authority.get(), headers);
  }

  /**
   * The origin of a call, and its method.
   *
   * @param connection its client's
   * @param path of its method
   */
  record Origin(HttpConnection connection, String path) {}

  @Override
  public @Nullable Object peer() {
    return origin.connection.remoteAddress();
  }

  @Override
  public String path() {
    return origin.path;
  }

  /** Looks at the headers, which may be all that is needed for an answer. */
  void begin() {
    try {
      readDeadline(now -> wireDeadline(headers, now), headers);
      require(method.operation());
    } catch (RuntimeException | Error e) {
      fail(e);
    }
  }

  @Override
  protected Credentials credentials() {
    return ConnectionCredentials.of(allHeaders, origin.connection);
  }

  /** Takes the rest of a request from Vert.x. */
  void follow(HttpServerRequest request) {
    request.handler(piece -> take(((BufferInternal) piece).getByteBuf()));
    request.endHandler(_ -> answer());
    request.exceptionHandler(this::broken);
    // A call that its headers refused has its answer already.
    if (!request.response().ended()) {
      request.response().exceptionHandler(_ -> cancelled());
      request.response().closeHandler(_ -> cancelled());
    }
  }

  /**
   * Returns the deadline of the {@code grpc-timeout} header.
   *
   * @throws InferenceException if the header says it in no form we know
   */
  static Deadline wireDeadline(Function<CharSequence, @Nullable String> headers, long now) {
    String timeout = headers.apply(TIMEOUT);
    return timeout == null ? Deadline.NONE : Deadline.after(GrpcTimeout.read(timeout), now);
  }

  /** Takes a piece of the body, which stays the caller's. */
  void take(ByteBuf piece) {
    if (answered) {
      return;
    }
    if (collected.size() == 0) {
      prepare(piece);
    }
    if (!answered && accepts(piece.readableBytes())) {
      collected.addView(piece);
    }
  }

  private boolean accepts(int more) {
    long size = collected.size() + (long) more;
    if (size > (form == GrpcForm.WEB_TEXT ? (long) (maxBody * TEXT_RATIO) : maxBody)) {
      fail(reader.tooLarge(size - GrpcReply.PREFIX));
    } else if (!collected.fits(more)) {
      fail(GrpcMessageReader.wrongLength(announced, size - GrpcReply.PREFIX));
    } else if (!reserved || size > announced + GrpcReply.PREFIX) {
      holdMore(size, more);
    }
    return !answered;
  }

  /** Counts a piece for which no memory was reserved beforehand. */
  private void holdMore(long size, int more) {
    // What comes while the call waits is a part of a large message, and leaves small ones their
    // part.
    boolean free = wait == null || memory().budget().free(Long.MAX_VALUE) >= more;
    if (!free || !RequestMemory.tryHold(memory(), size, more)) {
      fail(context().memory().busy(memory().refusal(Kind.BODY, more)));
    }
  }

  /** Makes room for the message that a frame's head announces. */
  private void prepare(ByteBuf first) {
    if (form == GrpcForm.WEB_TEXT || first.readableBytes() < GrpcReply.PREFIX) {
      return;
    }
    announced = first.getUnsignedInt(first.readerIndex() + 1);
    long size = announced + GrpcReply.PREFIX;
    if (size > maxBody) {
      return;
    }
    if (size > memory().budget().largestBody()) {
      fail(largerThanMemory(size, memory().budget()));
      return;
    }
    collected.expect(size);
    if (RequestMemory.tryHold(memory(), size, size)) {
      reserved = true;
      land(first);
    } else {
      await(size);
    }
  }

  static InferenceException largerThanMemory(long size, MemoryBudget budget) {
    return new InferenceException(
        ErrorCode.TOO_LARGE,
        "the message has %d bytes, of which the memory budget holds %d at most (setting limits.memory)"
            .formatted(size, budget.largestBody()));
  }

  private void land(ByteBuf first) {
    if (collected.isLarge() && first.getByte(first.readerIndex()) == 0) {
      Body message = Buffers.behind(first, GrpcReply.PREFIX);
      int tensorAt = PartialFieldLocator.find(message, method.method().tensorPaths());
      if (tensorAt >= 0) {
        collected.land(GrpcReply.PREFIX + (long) tensorAt);
        // Native memory is counted where it is made.
        memory().moveToTensor(Kind.BODY);
      }
    }
  }

  /** Reads no more until there is memory for the whole message, of which a part may be here. */
  private void await(long size) {
    reading.pause();
    wait =
        context()
            .memory()
            .await(
                memory().share(),
                context().vertx(),
                () -> memory().tryCharge(Kind.BODY, size - memory().held(Kind.BODY)),
                succeeded -> waited(succeeded, size));
  }

  private void waited(boolean succeeded, long size) {
    wait = null;
    reserved = succeeded;
    if (!succeeded) {
      fail(context().memory().busy(memory().refusal(Kind.BODY, size)));
    }
    reading.resume();
    if (arrived) {
      answer();
    }
  }

  /** Called when the whole body was taken. */
  void answer() {
    arrived = true;
    if (answered || isAbandoned() || wait != null) {
      return;
    }
    whole = true;
    compute(collected.joinedBytes(), collected::toBody)
        .compose(framed -> framed.closeAfter(this::answer))
        .onComplete(this::succeed, this::fail);
  }

  private Future<Buffer> answer(Body framed) {
    return compute(workOf(framed), () -> message(framed))
        .compose(message -> method.method().answer(this, message));
  }

  /** Taking a plain message out of its frame is nothing; inflating it is not. */
  private long workOf(Body framed) {
    boolean plain = headers.apply(ENCODING) == null && form != GrpcForm.WEB_TEXT;
    return plain ? 0 : framed.length() * ContentCoding.MOST_RATIO;
  }

  private Body message(Body framed) {
    return reader.read(form == GrpcForm.WEB_TEXT ? GrpcMessageReader.fromText(framed) : framed);
  }

  private void succeed(Buffer message) {
    try {
      holdAnswer(message.length());
    } catch (InferenceException e) {
      memory().releaseAll(Kind.ANSWER);
      fail(e);
      return;
    }
    answered = true;
    record().succeeded();
    if (form == GrpcForm.WEB_TEXT) {
      compute(message.length(), () -> reply.frame(message)).onComplete(reply::succeed, this::fail);
    } else {
      reply.succeed(reply.frame(message));
    }
  }

  /** Ends the wait for a message of which nothing has arrived. */
  void endIfIdle() {
    if (!seen) {
      seen = true;
    } else if (!answered && !whole && !isAbandoned() && collected.size() == 0) {
      fail(IdleCallTimeouts.stopping());
    }
  }

  private void forget() {
    if (wait != null) {
      wait.cancel();
      wait = null;
    }
    if (!whole) {
      collected.clear();
      memory().releaseAll(Kind.BODY);
    }
  }

  private void fail(Throwable failure) {
    answered = true;
    record().failed(ErrorCode.of(failure));
    forget();
    InferenceException reported = explain(failure, this, context(), reply);
    reply.fail(GrpcStatus.of(reported.code()), reported.getMessage());
  }

  /** Logs a failure, and returns the error for the client, besides the headers set here. */
  static InferenceException explain(
      Throwable failure, Exchange call, ListenerContext context, UnaryReply reply) {
    if (!(failure instanceof InferenceException known)) {
      context.bug(call, failure);
      return new InferenceException(ErrorCode.INTERNAL, "internal error");
    }
    context.failed(call, known);
    if (known.code() == ErrorCode.UNIMPLEMENTED) {
      reply.acceptEncodings();
    }
    if (known.mayRetry()) {
      reply.retryAfter(known.retryAfter());
    }
    return known;
  }

  /**
   * Called when the body has ended before its end: the caller disconnected, or sent what cannot be
   * read.
   */
  private void broken(Throwable failure) {
    InferenceException refusal = MalformedRequest.refusal(failure);
    if (refusal != null && !answered) {
      fail(refusal);
    } else {
      cancelled();
    }
  }

  /** Called when the caller cancelled or disconnected, or the stream ended after the answer. */
  void cancelled() {
    if (!answered) {
      forget();
      leave();
    }
    finish();
  }

  /** Called when the whole answer is written. */
  void sent() {
    finish();
  }

  @Override
  public @Nullable String metadata(String name) {
    return headers.apply(name);
  }

  @Override
  public Iterable<Map.Entry<String, String>> metadata() {
    return allHeaders;
  }
}
