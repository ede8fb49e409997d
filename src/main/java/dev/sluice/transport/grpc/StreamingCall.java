package dev.sluice.transport.grpc;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.security.Credentials;
import dev.sluice.telemetry.CallRecord;
import dev.sluice.telemetry.meter.EntryPoint;
import dev.sluice.tensor.MemoryBudget.Kind;
import dev.sluice.transport.Body;
import dev.sluice.transport.BrowserGuard;
import dev.sluice.transport.ByteCollector;
import dev.sluice.transport.ContentCoding;
import dev.sluice.transport.ListenerContext;
import dev.sluice.transport.ListenerExchange;
import dev.sluice.transport.MessageTurns;
import dev.sluice.transport.connection.MalformedRequest;
import dev.sluice.transport.connection.RequestMemory;
import dev.sluice.transport.netty.ConnectionCredentials;
import dev.sluice.transport.netty.ConnectionInternals;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A call of any number of messages each way. The client is read from only as fast as its messages
 * are taken.
 */
final class StreamingCall extends ListenerExchange
    implements GrpcStreamCall, IdleCallTimeouts.Member {
  /** Looks after which a client that could send its next message is taken for a silent one. */
  private static final int IDLE_POLLS = 10;

  /** Answers that are not written yet, with which no further message is taken. */
  private static final int MOST_UNWRITTEN = 16;

  private final HttpServerRequest request;
  private final GrpcReply reply;
  private final GrpcForm form;
  private final GrpcMessageReader reader;
  private final MessageSplitter splitter;
  private final long maxBody;

  /** The body of gRPC-Web's text form, which is decoded as a whole. */
  private final ByteCollector text = new ByteCollector();

  private final IdleCallTimeouts idleTimeouts;
  private final MessageTurns turns;
  private GrpcStreamMethod.@Nullable Messages messages;
  private boolean active;
  private boolean taking;

  /** Answers whose write is not complete. */
  private int unwritten;

  /** No message is taken until some of the answers are written. */
  private boolean behind;

  private boolean allArrived;

  /** The listener has closed: the next message is not taken, but ends the call. */
  private boolean stopping;

  private int idlePolls;
  private boolean stopped;
  private boolean seen;
  private boolean answered;
  private RequestMemory.@Nullable Wait wait;

  StreamingCall(
      HttpServerRequest request,
      GrpcReply reply,
      GrpcForm form,
      ListenerContext context,
      String requestId,
      IdleCallTimeouts idleTimeouts,
      MessageTurns turns) {
    super(
        context,
        EntryPoint.GRPC,
        requestId,
        context.memory().account(ConnectionInternals.channel(request.connection())));
    this.request = request;
    this.reply = reply;
    this.form = form;
    long maxMessage = context.limits().maxBodySize();
    this.reader =
        new GrpcMessageReader(
            request.getHeader(UnaryCall.ENCODING), maxMessage, context.limits().maxInflatedSize());
    this.splitter = new MessageSplitter(reader, maxMessage, memory());
    this.idleTimeouts = idleTimeouts;
    this.turns = turns;
    this.maxBody = (long) ((maxMessage + GrpcReply.PREFIX) * UnaryCall.TEXT_RATIO);
  }

  @Override
  protected @Nullable InferenceException controlRefusal() {
    return context()
        .guard()
        .controlRefusal("POST", BrowserGuard.authority(request), request::getHeader);
  }

  void start(AuthorizedMethod<GrpcStreamMethod> method) {
    try {
      readDeadline(now -> UnaryCall.wireDeadline(request::getHeader, now), request::getHeader);
      require(method.operation());
      messages = method.method().open(this);
    } catch (RuntimeException | Error e) {
      fail(e);
      return;
    }
    reply.onSent(this::sent);
    idleTimeouts.add(this);
    request.handler(this::arrived);
    request.endHandler(_ -> ended());
    request.exceptionHandler(this::broken);
    request.response().exceptionHandler(_ -> cancelled());
    request.response().closeHandler(_ -> cancelled());
  }

  @Override
  public @Nullable Object peer() {
    return request.remoteAddress();
  }

  @Override
  public String path() {
    return request.path();
  }

  @Override
  protected Credentials credentials() {
    return ConnectionCredentials.of(request.headers(), request.connection());
  }

  private void arrived(Buffer piece) {
    hear();
    if (answered || stopped) {
      return;
    }
    if (stopping && splitter.isEmpty()) {
      stopTaking();
      return;
    }
    if (form != GrpcForm.WEB_TEXT) {
      splitter.add(piece);
      takeNext();
    } else if (text.size() + (long) piece.length() > maxBody) {
      fail(reader.tooLarge(text.size() + (long) piece.length()));
    } else if (memory().tryCharge(Kind.BODY, piece.length())) {
      text.add(piece);
    } else {
      fail(context().memory().busy(memory().refusal(Kind.BODY, piece.length())));
    }
  }

  /** Called when the client has sent something, or will not do so any more. */
  private void hear() {
    active = true;
  }

  /**
   * Ends the call when the client's next message begins to arrive, or when it has been silent for a
   * while with nothing under way. Not right behind an answer: a client that has just read it is
   * about to write, and some libraries make an internal error of a write on a stream that has ended
   * meanwhile, while one that waits for an answer gets the status as it is.
   */
  @Override
  public void endIfIdle() {
    if (!seen) {
      seen = true;
    } else if (!active) {
      fail(IdleCallTimeouts.stopping());
    } else if (!allArrived && !stopped) {
      stopping = true;
      idlePolls = isUnderWay() ? 0 : idlePolls + 1;
      if (idlePolls > IDLE_POLLS) {
        stopTaking();
      }
    }
  }

  private boolean isUnderWay() {
    return taking || !splitter.isEmpty() || (messages != null && messages.isUnderWay());
  }

  private void stopTaking() {
    if (!stopped) {
      stopped = true;
      takeNext();
    }
  }

  private void ended() {
    hear();
    allArrived = true;
    if (form == GrpcForm.WEB_TEXT && !answered) {
      compute(text.size(), () -> GrpcMessageReader.fromText(text.toBody()))
          .onComplete(
              bytes -> {
                splitter.add(
                    Buffer.buffer().appendBytes(bytes.bytes(), bytes.offset(), bytes.length()));
                takeNext();
              },
              this::fail);
    } else {
      takeNext();
    }
  }

  private void takeNext() {
    try {
      while (!taking && !answered && !isAbandoned()) {
        if (!splitter.isEmpty() && !mayTake()) {
          return;
        }
        Body frame = splitter.next();
        if (frame == null) {
          if (splitter.starved() > 0) {
            await(splitter.starved());
          } else if (stopped) {
            stop();
          } else {
            endIfAllTaken();
          }
          return;
        }
        take(frame);
      }
    } catch (RuntimeException e) {
      fail(e);
    }
  }

  /** Returns whether the next message is taken now; if not, it will be looked at again. */
  private boolean mayTake() {
    if (isBehind()) {
      behind = true;
      pauseTaking();
      return false;
    }
    if (!turns.tryTake()) {
      pauseTaking();
      turns.await(this::resumeTaking);
      return false;
    }
    return true;
  }

  private boolean isBehind() {
    return unwritten >= MOST_UNWRITTEN || (unwritten > 0 && reply.isWriteQueueFull());
  }

  /** A body that has arrived as a whole cannot be paused: HTTP/1.1 would throw. */
  private void pauseReading() {
    if (!allArrived) {
      request.pause();
    }
  }

  private void resumeReading() {
    if (!allArrived) {
      request.resume();
    }
  }

  private void pauseTaking() {
    taking = true;
    pauseReading();
  }

  private void resumeTaking() {
    taking = false;
    takeNext();
    if (!taking) {
      resumeReading();
    }
  }

  /** Reads no more until there is memory for the next message. */
  private void await(long size) {
    taking = true;
    pauseReading();
    wait =
        context()
            .memory()
            .await(
                memory().share(),
                context().vertx(),
                splitter::tryAgain,
                succeeded -> {
                  wait = null;
                  taking = false;
                  if (succeeded) {
                    takeNext();
                  } else {
                    fail(context().memory().busy(memory().refusal(Kind.BODY, size)));
                  }
                  resumeReading();
                });
  }

  /** Waits for the consumer of the message, unless that is done at once. */
  private void take(Body frame) {
    taking = true;
    Future<?> taken = compute(workOf(frame), () -> reader.read(frame)).compose(this::handOver);
    taken.onComplete(_ -> splitter.taken(frame));
    if (taken.succeeded()) {
      taking = false;
      return;
    }
    pauseReading();
    taken.onComplete(
        _ -> {
          taking = false;
          resumeReading();
          takeNext();
        },
        this::fail);
  }

  private Future<?> handOver(Body message) {
    return messages == null ? Future.succeededFuture() : messages.take(message);
  }

  private long workOf(Body frame) {
    boolean plain = request.getHeader(UnaryCall.ENCODING) == null;
    return plain ? 0 : frame.length() * ContentCoding.MOST_RATIO;
  }

  /** Stops reading: messages that arrived before the listener closed are taken, and no more. */
  private void stop() {
    if (messages != null) {
      messages.stop();
    }
  }

  private void endIfAllTaken() {
    if (!allArrived || messages == null) {
      return;
    }
    if (!splitter.isEmpty()) {
      throw splitter.cutOff();
    }
    GrpcStreamMethod.Messages ended = messages;
    messages = null;
    ended.end();
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
      Future<Void> written = reply.write(message);
      holdPiece(message.length(), written);
      written.onComplete(_ -> written());
    }
  }

  private void written() {
    unwritten--;
    if (behind && (unwritten == 0 || (unwritten <= MOST_UNWRITTEN / 2 && !isBehind()))) {
      behind = false;
      resumeTaking();
    }
  }

  @Override
  public void end() {
    if (!answered) {
      answered = true;
      record().succeeded();
      reply.end();
    }
  }

  @Override
  public void fail(Throwable failure) {
    if (answered) {
      return;
    }
    answered = true;
    record().failed(ErrorCode.of(failure));
    InferenceException reported = UnaryCall.explain(failure, this, context(), reply);
    reply.failStream(GrpcStatus.of(reported.code()), reported.getMessage());
    stopWaiting();
    cancel();
  }

  @Override
  public InferenceException explain(Throwable failure) {
    record().failed(ErrorCode.of(failure));
    if (stopping && ErrorCode.of(failure) == ErrorCode.UNAVAILABLE) {
      // The time to drain is over, and the connection ends soon.
      context().vertx().runOnContext(_ -> stopTaking());
    }
    return UnaryCall.explain(failure, this, context(), reply);
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

  private void cancelled() {
    idleTimeouts.remove(this);
    stopWaiting();
    if (!answered) {
      leave();
    }
    finish();
  }

  private void sent() {
    idleTimeouts.remove(this);
    finish();
  }

  private void stopWaiting() {
    if (wait != null) {
      wait.cancel();
      wait = null;
    }
  }

  @Override
  public @Nullable String metadata(String name) {
    return request.getHeader(name);
  }

  @Override
  public Iterable<Map.Entry<String, String>> metadata() {
    return request.headers();
  }

  @Override
  public CallRecord newRecord() {
    return context().record(EntryPoint.GRPC);
  }
}
