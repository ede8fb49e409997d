package dev.sluice.transport.grpc;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.telemetry.access.AccessEntry;
import dev.sluice.tensor.MemoryBudget.Kind;
import dev.sluice.transport.ArrivalDeadlines;
import dev.sluice.transport.Body;
import dev.sluice.transport.ListenerContext;
import dev.sluice.transport.grpc.message.GrpcMessageReader;
import dev.sluice.transport.grpc.message.MessageBody;
import dev.sluice.transport.netty.vertx.NettyBuffers;
import io.netty.buffer.ByteBuf;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;

/**
 * A call with one message each way, from its first byte to its status.
 *
 * <p>The path of a call: head, admission by path and credentials, body with its memory charged,
 * decompression, method, encoding, status. Whatever fails, exactly one answer is sent.
 */
final class UnaryCall extends GrpcExchange implements MessageBody.Owner {
  private static final int OK = 0;

  private final MethodTable.Unary method;
  private final UnaryReply reply;
  private final MessageBody body;
  private final ArrivalDeadlines deadlines;
  private boolean whole;
  private boolean answered;
  private boolean seen;
  private long bytesIn;
  private long bytesOut;

  /**
   * @param reply where the answer goes
   * @param source is paused while there is no memory for the message
   */
  UnaryCall(
      GrpcHead head,
      MethodTable.Unary method,
      UnaryReply reply,
      MessageBody.Source source,
      GrpcForm form,
      ListenerContext context,
      ArrivalDeadlines deadlines,
      String requestId) {
    super(head, form, context, requestId);
    this.method = method;
    this.reply = reply;
    this.deadlines = deadlines;
    this.body =
        new MessageBody(
            reader(), isText(), method.method().tensorPaths(), context, memory(), source, this);
  }

  /** Looks at the headers, which may be all that is needed for an answer. */
  void begin() {
    try {
      admit(method.operation());
      arriving(deadlines, deadline(), this::fail);
    } catch (RuntimeException | Error e) {
      fail(e);
    }
  }

  /** Takes the rest of a request from Vert.x. */
  void follow(HttpServerRequest request) {
    request.handler(piece -> take(NettyBuffers.bytes(piece)));
    request.endHandler(_ -> answer());
    request.exceptionHandler(this::broken);
    // A call that its headers refused has its answer already.
    if (!request.response().ended()) {
      request.response().exceptionHandler(_ -> cancelled());
      request.response().closeHandler(_ -> cancelled());
    }
  }

  /** Takes a piece of the body, which stays the caller's. */
  void take(ByteBuf piece) {
    bytesIn += piece.readableBytes();
    if (answered) {
      return;
    }
    try {
      body.take(piece);
    } catch (RuntimeException | Error e) {
      fail(e);
    }
  }

  @Override
  public void onNoMemory(InferenceException why) {
    fail(why);
  }

  @Override
  public void onMemory() {
    if (whole) {
      answer();
    }
  }

  /** Called when the whole body was taken. */
  void answer() {
    whole = true;
    if (answered || isAbandoned() || body.isWaiting()) {
      return;
    }
    arrived();
    record().received();
    long joined = body.complete();
    Future<Buffer> answer =
        joined == 0 && isPlain()
            ? body.join().closeAfter(this::answerPlain)
            : compute(joined, body::join).compose(framed -> framed.closeAfter(this::answer));
    answer.onComplete(this::succeed, this::fail);
  }

  /** Most calls: there is nothing to do before the method is. */
  private Future<Buffer> answerPlain(Body framed) {
    try {
      return method.method().answer(this, reader().read(framed));
    } catch (RuntimeException | Error e) {
      return Future.failedFuture(e);
    }
  }

  private Future<Buffer> answer(Body framed) {
    return compute(workOf(framed, !isText()), () -> message(framed))
        .compose(message -> method.method().answer(this, message));
  }

  private Body message(Body framed) {
    return reader().read(isText() ? GrpcMessageReader.fromText(framed) : framed);
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
    bytesOut = message.length() + (long) GrpcMessageReader.PREFIX;
    answering(OK);
    record().succeeded();
    report(reply);
    if (isText()) {
      compute(message.length(), () -> reply.frame(message)).onComplete(reply::succeed, this::fail);
    } else {
      reply.succeed(reply.frame(message));
    }
  }

  /** Ends the wait for a message of which nothing has arrived. */
  void endIfIdle() {
    if (!seen) {
      seen = true;
    } else if (!answered && !isAbandoned() && body.isAwaited()) {
      fail(IdleCallTimeouts.stopping());
    }
  }

  @Override
  boolean isAnswered() {
    return answered;
  }

  @Override
  public void fail(Throwable failure) {
    answered = true;
    arrived();
    record().failed(ErrorCode.of(failure));
    body.forget();
    InferenceException reported = explain(failure, reply);
    report(reply);
    reply.fail(answering(GrpcStatus.of(reported.code())), reported.getMessage());
  }

  @Override
  protected AccessEntry.Answer accessAnswer() {
    return answer(bytesIn, bytesOut);
  }

  @Override
  void cancelled() {
    if (!answered) {
      arrived();
      body.forget();
      leave();
    }
    finish();
  }

  /** Called when the whole answer is written. */
  void sent() {
    finish();
  }
}
