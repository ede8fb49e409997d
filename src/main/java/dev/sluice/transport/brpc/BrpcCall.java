package dev.sluice.transport.brpc;

import dev.sluice.inference.Deadline;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.security.Credentials;
import dev.sluice.telemetry.access.AccessEntry;
import dev.sluice.telemetry.load.LoadReport;
import dev.sluice.telemetry.load.LoadReportFormat;
import dev.sluice.telemetry.meter.EntryPoint;
import dev.sluice.transport.Body;
import dev.sluice.transport.ByteCollector;
import dev.sluice.transport.ListenerExchange;
import dev.sluice.transport.ReportHeaders;
import dev.sluice.transport.grpc.method.AuthorizedMethod;
import dev.sluice.transport.grpc.method.GrpcCall;
import dev.sluice.transport.grpc.method.GrpcMethod;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One call, from its frame to its answer.
 *
 * <p>Mirrors {@code UnaryCall}: decompress, find the method, admit, answer. The correlation id of
 * the frame is what links answer and call, so answers may overtake one another.
 */
final class BrpcCall extends ListenerExchange implements GrpcCall {
  private final BrpcConnection connection;
  private final AuthorizedMethod<GrpcMethod> method;
  private final RpcMeta meta;
  private final ByteCollector body;
  private final int size;
  private int status = AccessEntry.NONE;
  private long bytesOut;

  BrpcCall(
      BrpcConnection connection,
      AuthorizedMethod<GrpcMethod> method,
      RpcMeta meta,
      ByteCollector body,
      String requestId) {
    super(connection.context(), EntryPoint.BRPC, requestId, connection.account());
    this.connection = connection;
    this.method = method;
    this.meta = meta;
    this.body = body;
    this.size = body.size();
  }

  private Deadline wireDeadline(long now) {
    return meta.timeoutMillis() <= 0
        ? Deadline.NONE
        : Deadline.after(Duration.ofMillis(meta.timeoutMillis()), now);
  }

  /** Answers it, sooner or later. On the connection's context. */
  void start() {
    try {
      readDeadline(this::wireDeadline, meta.headers()::value);
      require(method.operation());
    } catch (InferenceException e) {
      fail(e);
      return;
    }
    compute(body.joinedBytes(), body::toBody)
        .compose(this::message)
        .compose(message -> method.method().answer(this, message))
        .onComplete(this::succeed, this::fail);
  }

  @Override
  protected Credentials credentials() {
    return new BrpcCredentials(meta, connection);
  }

  private void succeed(Buffer message) {
    try {
      holdAnswer(message.length());
    } catch (InferenceException e) {
      fail(e);
      return;
    }
    status = 0;
    bytesOut = message.length();
    record().succeeded();
    connection.answer(this, reply().success(message));
  }

  private void fail(Throwable failure) {
    record().failed(ErrorCode.of(failure));
    status = BrpcError.of(failure);
    connection.answer(this, connection.failed(this, reply(), failure));
  }

  /** Begins the answer, with what the client has asked to learn besides its message. */
  private BrpcReply reply() {
    String times = record().serverTiming();
    LoadReportFormat format = loadFormat();
    if (times == null && format == null) {
      return BrpcReply.to(meta);
    }
    Map<String, String> reports = new LinkedHashMap<>();
    if (times != null) {
      reports.put(ReportHeaders.TIMES.toString(), times);
    }
    if (format != null) {
      LoadReport load = context().telemetry().load().report();
      reports.put(ReportHeaders.LOAD.toString(), format.header(load));
    }
    return new BrpcReply(meta.correlationId(), reports);
  }

  /** Returns the message without what is attached to it, and without its compression. */
  private Future<Body> message(Body whole) {
    int attached = meta.attachmentSize();
    if (attached < 0 || attached > whole.length()) {
      throw InferenceException.invalid(
          "attachment_size is %d; wanted 0 to %d, the length of the body"
              .formatted(attached, whole.length()));
    }
    Body message = whole.slice(0, whole.length() - attached);
    Compression compression = Compression.of(meta.compression());
    long limit = context().limits().maxInflatedSize();
    return compute(
        message.length() * compression.mostRatio(), () -> compression.undo(message, limit));
  }

  @Override
  protected AccessEntry.Target accessTarget() {
    return connection.target(meta, requestId());
  }

  @Override
  protected AccessEntry.Answer accessAnswer() {
    return new AccessEntry.Answer(AccessEntry.NONE, status, size, bytesOut);
  }

  @Override
  protected String spanName() {
    return path();
  }

  @Override
  protected void describe(Map<String, Object> facts) {
    facts.put("rpc.system", "brpc");
    facts.put("rpc.service", meta.service());
    facts.put("rpc.method", meta.method());
  }

  @Override
  public @Nullable Object peer() {
    return connection.client();
  }

  @Override
  public String path() {
    return path(meta);
  }

  /** Returns what a call addresses. */
  static String path(RpcMeta meta) {
    return meta.service() + "/" + meta.method();
  }

  /** Called when the client has cancelled the call or disconnected. */
  void cancelled() {
    leave();
    finish();
  }

  /** Called when the answer is written, or never will be. */
  void sent() {
    finish();
  }

  /** Returns the number of bytes of its message and what is attached to it, as they came. */
  int size() {
    return size;
  }

  @Override
  public @Nullable String metadata(String name) {
    return null;
  }

  @Override
  public Iterable<Map.Entry<String, String>> metadata() {
    return List.of();
  }
}
