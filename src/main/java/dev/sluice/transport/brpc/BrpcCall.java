package dev.sluice.transport.brpc;

import dev.sluice.inference.Caller;
import dev.sluice.inference.Deadline;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.telemetry.CallRecord;
import dev.sluice.telemetry.EntryPoint;
import dev.sluice.transport.Body;
import dev.sluice.transport.ByteCollector;
import dev.sluice.transport.grpc.GrpcCall;
import dev.sluice.transport.grpc.GrpcMethod;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One call, from its frame to its answer. */
final class BrpcCall implements GrpcCall {
  private final BrpcConnection connection;
  private final GrpcMethod method;
  private final RpcMeta meta;
  private final ByteCollector body;
  private final int size;
  private final String requestId;
  private final Deadline deadline;
  private final CallRecord record;
  private boolean gone;
  private @Nullable Runnable whenGone;

  BrpcCall(
      BrpcConnection connection,
      GrpcMethod method,
      RpcMeta meta,
      ByteCollector body,
      String requestId) {
    this.connection = connection;
    this.method = method;
    this.meta = meta;
    this.body = body;
    this.size = body.size();
    this.record = connection.context().record(EntryPoint.BRPC);
    this.requestId = requestId;
    this.deadline = connection.context().deadline().earlier(wireDeadline());
  }

  private Deadline wireDeadline() {
    return meta.timeoutMillis() <= 0
        ? Deadline.NONE
        : Deadline.after(
            Duration.ofMillis(meta.timeoutMillis()), connection.context().nanoTime().getAsLong());
  }

  /** Answers it, sooner or later. On the connection's context. */
  void start() {
    compute(body.joinedBytes(), body::toBody)
        .compose(this::message)
        .compose(message -> method.answer(this, message))
        .onComplete(this::succeed, this::fail);
  }

  private void succeed(Buffer message) {
    record.succeeded();
    connection.answer(this, BrpcReply.success(meta.correlationId(), message));
  }

  private void fail(Throwable failure) {
    record.failed(ErrorCode.of(failure));
    connection.answer(this, connection.failed(this, failure));
  }

  /** The message without what is attached to it, and without its compression. */
  private Future<Body> message(Body whole) {
    int attached = meta.attachmentSize();
    if (attached < 0 || attached > whole.length()) {
      throw InferenceException.invalid(
          "attachment_size is %d; wanted 0 to %d, the length of the body"
              .formatted(attached, whole.length()));
    }
    Body message = whole.slice(0, whole.length() - attached);
    Compression compression = Compression.of(meta.compression());
    long limit = connection.context().limits().maxInflatedSize();
    return compute(
        message.length() * compression.mostRatio(), () -> compression.undo(message, limit));
  }

  /** The client has left. */
  void gone() {
    gone = true;
    record.failed(ErrorCode.CANCELLED);
    if (whenGone != null) {
      whenGone.run();
    }
  }

  /** Bytes of its message and what is attached to it, as they came. */
  int size() {
    return size;
  }

  long correlationId() {
    return meta.correlationId();
  }

  @Override
  public @Nullable String metadata(String name) {
    return null;
  }

  @Override
  public Iterable<Map.Entry<String, String>> metadata() {
    return List.of();
  }

  @Override
  public String requestId() {
    return requestId;
  }

  @Override
  public CallRecord record() {
    return record;
  }

  @Override
  public Caller caller() {
    return connection.context().caller();
  }

  @Override
  public Deadline deadline() {
    return deadline;
  }

  @Override
  public <T> Future<T> compute(long bytes, Supplier<T> work) {
    return connection.context().compute(bytes, work);
  }

  @Override
  public void onGone(Runnable action) {
    whenGone = action;
    if (gone) {
      action.run();
    }
  }
}
