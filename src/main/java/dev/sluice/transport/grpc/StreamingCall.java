package dev.sluice.transport.grpc;

import dev.sluice.inference.Deadline;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.telemetry.CallRecord;
import dev.sluice.telemetry.access.AccessEntry;
import dev.sluice.transport.ArrivalDeadlines;
import dev.sluice.transport.ListenerContext;
import dev.sluice.transport.MessageTurns;
import dev.sluice.transport.grpc.method.AuthorizedMethod;
import dev.sluice.transport.grpc.method.GrpcStreamCall;
import dev.sluice.transport.grpc.method.GrpcStreamMethod;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;

/**
 * A call of any number of messages each way. {@link MessageIntake} is the client's direction; the
 * server's is open until {@link #end}, {@link #fail} or the client's cancellation, whichever comes
 * first.
 */
final class StreamingCall extends GrpcExchange implements GrpcStreamCall, IdleCallTimeouts.Member {
  /** Answers that are not written yet, with which no further message is taken. */
  private static final int MOST_UNWRITTEN = 16;

  private static final int OK = 0;

  /**
   * Time that requests under way have to answer at the deadline that they share with their call: a
   * client gets the error of its request rather than the end of the call, whichever timer is first.
   */
  private static final long LAST_ANSWERS_MILLIS = 100;

  private final HttpServerRequest request;
  private final GrpcReply reply;
  private final IdleCallTimeouts idleTimeouts;
  private final MessageIntake intake;
  private final ArrivalDeadlines deadlines;

  /** Answers whose write is not complete. */
  private int unwritten;

  private boolean answered;

  StreamingCall(
      HttpServerRequest request,
      GrpcReply reply,
      GrpcForm form,
      ListenerContext context,
      String requestId,
      IdleCallTimeouts idleTimeouts,
      ArrivalDeadlines deadlines,
      MessageTurns turns) {
    super(GrpcHead.of(request), form, context, requestId);
    this.request = request;
    this.reply = reply;
    this.idleTimeouts = idleTimeouts;
    this.deadlines = deadlines;
    this.intake = new MessageIntake(this, request, context, turns);
  }

  void start(AuthorizedMethod<GrpcStreamMethod> method) {
    GrpcStreamMethod.Messages messages;
    try {
      admit(method.operation());
      messages = method.method().open(this);
    } catch (RuntimeException | Error e) {
      fail(e);
      return;
    }
    reply.onSent(this::sent);
    idleTimeouts.add(this);
    arriving(deadlines, namedDeadline(), _ -> expire());
    intake.open(messages);
    request.exceptionHandler(this::broken);
    request.response().exceptionHandler(_ -> cancelled());
    request.response().closeHandler(_ -> cancelled());
  }

  private void expire() {
    if (intake.isAnswering()) {
      context().vertx().setTimer(LAST_ANSWERS_MILLIS, _ -> fail(expired()));
    } else {
      fail(expired());
    }
  }

  private static InferenceException expired() {
    return new InferenceException(
        ErrorCode.DEADLINE_EXCEEDED, "Request timeout expired before the stream had ended");
  }

  /** Returns the deadline of a message that is taken now: the settings' time is a request's. */
  @Override
  public Deadline deadline() {
    return namedDeadline().earlier(context().deadline(context().nanoTime().getAsLong()));
  }

  @Override
  public void endIfIdle() {
    intake.endIfIdle();
  }

  @Override
  boolean isAnswered() {
    return answered;
  }

  /** Returns whether the caller cancelled or disconnected before the answer was complete. */
  boolean isLeft() {
    return isAbandoned();
  }

  /** Returns whether the client does not read the answers: it may send no more. */
  boolean isBehind() {
    return unwritten >= MOST_UNWRITTEN || (unwritten > 0 && reply.isWriteQueueFull());
  }

  @Override
  public boolean isWriteQueueFull() {
    return reply.isWriteQueueFull();
  }

  @Override
  public void onWritable(Runnable action) {
    reply.onWritable(action);
  }

  @Override
  public void write(Buffer message) {
    if (!answered) {
      unwritten++;
      record().message(message.length());
      Future<Void> written = reply.write(message);
      holdPiece(message.length(), written);
      written.onComplete(_ -> written());
    }
  }

  private void written() {
    unwritten--;
    if (unwritten == 0 || (unwritten <= MOST_UNWRITTEN / 2 && !isBehind())) {
      intake.caughtUp();
    }
  }

  @Override
  public void end() {
    if (!answered) {
      answered = true;
      arrived();
      answering(OK);
      record().succeeded();
      report(reply);
      reply.end();
    }
  }

  @Override
  public void fail(Throwable failure) {
    if (answered) {
      return;
    }
    answered = true;
    arrived();
    record().failed(ErrorCode.of(failure));
    InferenceException reported = explain(failure, reply);
    report(reply);
    reply.failStream(answering(GrpcStatus.of(reported.code())), reported.getMessage());
    intake.ended();
    cancel();
  }

  @Override
  public InferenceException explain(Throwable failure) {
    record().failed(ErrorCode.of(failure));
    if (intake.isStopping() && ErrorCode.of(failure) == ErrorCode.UNAVAILABLE) {
      // The time to drain is over, and the connection ends soon.
      context().vertx().runOnContext(_ -> intake.stop());
    }
    return explain(failure, reply);
  }

  @Override
  void cancelled() {
    idleTimeouts.remove(this);
    intake.ended();
    arrived();
    if (!answered) {
      leave();
    }
    finish();
  }

  @Override
  protected AccessEntry.Answer accessAnswer() {
    return answer(request.bytesRead(), request.response().bytesWritten());
  }

  private void sent() {
    idleTimeouts.remove(this);
    finish();
  }

  @Override
  public CallRecord newRecord() {
    return record().part();
  }
}
