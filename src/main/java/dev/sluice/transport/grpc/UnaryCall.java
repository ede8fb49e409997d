package dev.sluice.transport.grpc;

import dev.sluice.inference.Caller;
import dev.sluice.inference.Deadline;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.transport.Body;
import dev.sluice.transport.ByteCollector;
import dev.sluice.transport.ContentCoding;
import dev.sluice.transport.ListenerContext;
import dev.sluice.transport.TimeoutHeaders;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A call with one message each way, from its first byte to its status. */
final class UnaryCall implements GrpcCall {
  /** What base64 and framing may add to a message of the largest size. */
  private static final double TEXT_RATIO = 1.5;

  private final HttpServerRequest request;
  private final GrpcReply reply;
  private final GrpcForm form;
  private final ListenerContext context;
  private final String requestId;
  private final MessageReader reader;
  private final ByteCollector collected = new ByteCollector();
  private final long maxBody;
  private Deadline deadline = Deadline.NONE;
  private boolean answered;
  private boolean gone;
  private @Nullable Runnable whenGone;

  UnaryCall(
      HttpServerRequest request,
      GrpcReply reply,
      GrpcForm form,
      ListenerContext context,
      String requestId) {
    this.request = request;
    this.reply = reply;
    this.form = form;
    this.context = context;
    this.requestId = requestId;
    long maxMessage = context.limits().maxBodySize();
    this.reader =
        new MessageReader(
            request.getHeader("grpc-encoding"), maxMessage, context.limits().maxInflatedSize());
    this.maxBody = maxMessage + GrpcReply.PREFIX;
  }

  void start(GrpcMethod method) {
    try {
      deadline = context.deadline().earlier(wireDeadline()).earlier(meshDeadline());
    } catch (InferenceException e) {
      fail(e);
      return;
    }
    request.handler(this::take);
    request.endHandler(_ -> answer(method));
    request.exceptionHandler(_ -> gone());
    request.response().exceptionHandler(_ -> gone());
    request.response().closeHandler(_ -> gone());
  }

  private Deadline wireDeadline() {
    String timeout = request.getHeader("grpc-timeout");
    return timeout == null
        ? Deadline.NONE
        : Deadline.after(GrpcTimeout.read(timeout), context.nanoTime().getAsLong());
  }

  private Deadline meshDeadline() {
    return TimeoutHeaders.read(request::getHeader, context.nanoTime().getAsLong());
  }

  private void take(Buffer piece) {
    if (answered) {
      return;
    }
    long limit = form == GrpcForm.WEB_TEXT ? (long) (maxBody * TEXT_RATIO) : maxBody;
    if (collected.size() + (long) piece.length() > limit) {
      long size = collected.size() + (long) piece.length();
      collected.clear();
      fail(reader.tooLarge(size));
    } else {
      collected.add(piece);
    }
  }

  private void answer(GrpcMethod method) {
    if (answered) {
      return;
    }
    Body framed = collected.toBody();
    compute(workOf(framed), () -> message(framed))
        .compose(message -> method.answer(this, message))
        .onComplete(this::succeed, this::fail);
  }

  /** Taking a plain message out of its frame is nothing; inflating it is not. */
  private long workOf(Body framed) {
    boolean plain = request.getHeader("grpc-encoding") == null && form != GrpcForm.WEB_TEXT;
    return plain ? 0 : framed.length() * ContentCoding.LIKELY_RATIO;
  }

  private Body message(Body framed) {
    return reader.read(form == GrpcForm.WEB_TEXT ? MessageReader.fromText(framed) : framed);
  }

  private void succeed(Buffer message) {
    answered = true;
    reply.succeed(message);
  }

  private void fail(Throwable failure) {
    answered = true;
    if (failure instanceof InferenceException known) {
      context.failed(this, known);
      if (known.code() == ErrorCode.UNIMPLEMENTED) {
        reply.acceptEncodings();
      }
      if (known.code() == ErrorCode.RESOURCE_EXHAUSTED) {
        reply.retryAfter(known.retryAfter());
      }
      reply.fail(GrpcStatus.of(known.code()), known.getMessage());
    } else {
      context.bug(this, failure);
      reply.fail(GrpcStatus.of(ErrorCode.INTERNAL), "internal error");
    }
  }

  private void gone() {
    if (answered) {
      return;
    }
    gone = true;
    if (whenGone != null) {
      whenGone.run();
    }
  }

  @Override
  public @Nullable String metadata(String name) {
    return request.getHeader(name);
  }

  @Override
  public String requestId() {
    return requestId;
  }

  @Override
  public Caller caller() {
    return context.caller();
  }

  @Override
  public Deadline deadline() {
    return deadline;
  }

  @Override
  public <T> Future<T> compute(long bytes, Supplier<T> work) {
    return context.compute(bytes, work);
  }

  @Override
  public void onGone(Runnable action) {
    whenGone = action;
    if (gone) {
      action.run();
    }
  }
}
