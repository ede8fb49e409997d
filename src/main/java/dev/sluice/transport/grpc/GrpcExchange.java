package dev.sluice.transport.grpc;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.access.Operation;
import dev.sluice.security.Credentials;
import dev.sluice.telemetry.access.AccessEntry;
import dev.sluice.telemetry.load.LoadReport;
import dev.sluice.telemetry.load.LoadReportFormat;
import dev.sluice.telemetry.meter.EntryPoint;
import dev.sluice.transport.Body;
import dev.sluice.transport.ContentCoding;
import dev.sluice.transport.ListenerContext;
import dev.sluice.transport.ListenerExchange;
import dev.sluice.transport.ReportHeaders;
import dev.sluice.transport.connection.MalformedRequest;
import dev.sluice.transport.grpc.message.GrpcMessageReader;
import dev.sluice.transport.grpc.method.GrpcCall;
import dev.sluice.transport.netty.ConnectionCredentials;
import dev.sluice.transport.netty.ConnectionInternals;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Common state of a call, with one message each way or any number: its head, the reader of its
 * messages, and the errors of its client. Of the connection's event loop.
 */
abstract class GrpcExchange extends ListenerExchange implements GrpcCall {
  private static final int OK = 200;

  private final GrpcHead head;
  private final GrpcForm form;
  private final GrpcMessageReader reader;

  /** The status that the client has been sent, or will be. */
  private int status = AccessEntry.NONE;

  GrpcExchange(GrpcHead head, GrpcForm form, ListenerContext context, String requestId) {
    super(
        context,
        EntryPoint.GRPC,
        requestId,
        context.memory().account(ConnectionInternals.channel(head.connection())));
    this.head = head;
    this.form = form;
    this.reader = head.reader(context);
  }

  /** Returns whether the client has been sent its status, or will be: the call has ended. */
  abstract boolean isAnswered();

  /** Ends the call with the status of a failure. */
  public abstract void fail(Throwable failure);

  /** Called when the caller cancelled or disconnected, or the stream ended after the answer. */
  abstract void cancelled();

  /** Notes the status that the client is sent, and returns it. */
  final int answering(int code) {
    if (status == AccessEntry.NONE) {
      status = code;
    }
    return code;
  }

  @Override
  protected final AccessEntry.Target accessTarget() {
    return new AccessEntry.Target(form.protocol(), "POST", path(), requestId());
  }

  final AccessEntry.Answer answer(long bytesIn, long bytesOut) {
    int http = status == AccessEntry.NONE ? AccessEntry.NONE : OK;
    return new AccessEntry.Answer(http, status, bytesIn, bytesOut);
  }

  final GrpcMessageReader reader() {
    return reader;
  }

  final boolean isText() {
    return form == GrpcForm.WEB_TEXT;
  }

  /**
   * Reads the deadline, and decides whether the caller may do an operation.
   *
   * @throws InferenceException if a header is none that we know, or the caller may not
   */
  final void admit(Operation operation) {
    readDeadline(head::deadline, head.headers());
    require(operation);
  }

  /** Returns whether its messages are neither text nor compressed. */
  final boolean isPlain() {
    return !isText() && !head.isCompressed();
  }

  /** Taking a plain message out of its frame is nothing; inflating it is not. */
  final long workOf(Body framed, boolean plain) {
    return plain && !head.isCompressed() ? 0 : framed.length() * ContentCoding.MOST_RATIO;
  }

  /** Tells a client that has asked for it how long each stage took, and how busy the server is. */
  final void report(UnaryReply reply) {
    String times = record().serverTiming();
    if (times != null) {
      reply.trailer(ReportHeaders.TIMES, times);
    }
    LoadReportFormat format = loadFormat();
    if (format != null) {
      LoadReport load = context().telemetry().load().report();
      if (format == LoadReportFormat.BIN) {
        reply.trailer(ReportHeaders.BINARY_LOAD, format.value(load));
      } else {
        reply.trailer(ReportHeaders.LOAD, format.header(load));
      }
    }
  }

  /** Logs a failure, and returns the error for the client, besides the headers set here. */
  final InferenceException explain(Throwable failure, UnaryReply reply) {
    if (!(failure instanceof InferenceException known)) {
      context().bug(this, failure);
      return new InferenceException(ErrorCode.INTERNAL, "internal error");
    }
    context().failed(this, known);
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
  final void broken(Throwable failure) {
    InferenceException refusal = MalformedRequest.refusal(failure);
    if (refusal != null && !isAnswered()) {
      fail(refusal);
    } else {
      cancelled();
    }
  }

  @Override
  protected final @Nullable InferenceException controlRefusal() {
    return context().guard().controlRefusal("POST", head.authority().get(), head.headers());
  }

  @Override
  protected final Credentials credentials() {
    return ConnectionCredentials.of(head.allHeaders(), head.connection());
  }

  @Override
  protected final String spanName() {
    return path().substring(1);
  }

  @Override
  protected final void describe(Map<String, Object> facts) {
    int slash = path().lastIndexOf('/');
    ErrorCode failure = record().failure();
    facts.put("rpc.system", "grpc");
    facts.put("rpc.service", path().substring(1, Math.max(1, slash)));
    facts.put("rpc.method", path().substring(slash + 1));
    facts.put("rpc.grpc.status_code", status == AccessEntry.NONE ? unsent(failure) : status);
  }

  /** Returns the status of a call that its client left before it was sent one. */
  private static int unsent(@Nullable ErrorCode failure) {
    return failure == null ? 0 : GrpcStatus.of(failure);
  }

  @Override
  public final @Nullable Object peer() {
    return head.connection().remoteAddress();
  }

  @Override
  public final String path() {
    return head.path();
  }

  @Override
  public final @Nullable String metadata(String name) {
    return head.headers().apply(name);
  }

  @Override
  public final Iterable<Map.Entry<String, String>> metadata() {
    return head.allHeaders();
  }
}
