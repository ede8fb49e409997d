package dev.sluice.transport;

import dev.sluice.config.security.RestrictedApi;
import dev.sluice.inference.Deadline;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.access.Caller;
import dev.sluice.inference.access.Operation;
import dev.sluice.inference.access.Role;
import dev.sluice.security.Credentials;
import dev.sluice.security.ListenerAccess;
import dev.sluice.telemetry.CallRecord;
import dev.sluice.telemetry.access.AccessEntry;
import dev.sluice.telemetry.access.AccessLog;
import dev.sluice.telemetry.access.CallStages;
import dev.sluice.telemetry.load.LoadReportFormat;
import dev.sluice.telemetry.meter.EntryPoint;
import dev.sluice.telemetry.span.CallSpan;
import dev.sluice.tensor.MemoryAccount;
import dev.sluice.tensor.MemoryBudget;
import dev.sluice.tensor.MemoryExhausted;
import dev.sluice.transport.connection.ClientAddress;
import io.vertx.core.Future;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Common state of an exchange, on any transport.
 *
 * <p>Ownership: holds the request's memory account, its deadline and its call record, and closes
 * them when the last piece of work and the answer are done.
 */
public abstract class ListenerExchange implements Exchange {
  /**
   * Bytes of an answer that is sent whatever the budget says: it costs hardly more than its stream,
   * and control and health calls are answered so.
   */
  private static final int ALWAYS_SENT = 1024;

  private final ListenerContext context;
  private final String requestId;
  private final CallRecord record;
  private Deadline named = Deadline.NONE;
  private Deadline deadline = Deadline.NONE;
  private final MemoryAccount memory;
  private @Nullable Runnable cancelAction;

  /** Of a request that has a deadline, as long as it arrives; null for most. */
  private ArrivalDeadlines.@Nullable Arrival arrival;

  private boolean cancelled;
  private @Nullable Caller caller;
  private @Nullable Operation asked;

  /** Of the operation, if it is one on one model. */
  private String askedModel = "";

  private boolean decided;

  /** Null for most. */
  private @Nullable LoadReportFormat loadFormat;

  /** Why the head cannot be read: answered where the protocol words it, to those who may ask. */
  private @Nullable InferenceException headMistake;

  /** Pieces of work that run on workers now. */
  private int working;

  private boolean finished;
  private long bodyAtEnd;

  /** Bytes of pieces that are not written yet. */
  private long pieces;

  /**
   * Begins an exchange, with the deadline of the listener's settings.
   *
   * @param memory what it holds, which it closes
   */
  protected ListenerExchange(
      ListenerContext context, EntryPoint entryPoint, String requestId, MemoryAccount memory) {
    this.context = context;
    this.requestId = requestId;
    this.record = context.record(entryPoint);
    this.memory = memory;
  }

  protected final ListenerContext context() {
    return context;
  }

  /**
   * Sets whether the answer reports its times and the server's load, and until when it is wanted:
   * by the settings, by what carries the exchange and by its headers, the earliest of them, counted
   * from when the exchange began.
   *
   * @param carrier says when, by that time
   * @throws InferenceException if a header says it in no form we know
   */
  protected final void readDeadline(
      LongFunction<Deadline> carrier, Function<CharSequence, @Nullable String> headers) {
    if (ReportHeaders.isWanted(context.telemetry().serverTiming(), headers)) {
      record.time();
    }
    loadFormat =
        ReportHeaders.loadFormat(
            context.telemetry().load().setting(),
            record.entryPoint() == EntryPoint.GRPC ? LoadReportFormat.BIN : LoadReportFormat.TEXT,
            headers);
    record.follow(headers);
    long begun = record.begunNanos();
    named = carrier.apply(begun).earlier(TimeoutHeaders.read(headers, begun));
    deadline = context.deadline(begun).earlier(named);
  }

  /**
   * Returns the form in which the answer reports how busy the server is; null if it does not: only
   * callers that may do what they ask for learn it.
   */
  protected final @Nullable LoadReportFormat loadFormat() {
    return decided && asked != null ? loadFormat : null;
  }

  /** Returns the deadline that the caller has named, whatever the settings say. */
  protected final Deadline namedDeadline() {
    return named;
  }

  /**
   * Has a deadline, if it is one, watched from now on until the request {@link #arrived}.
   *
   * @param expire is called with DEADLINE_EXCEEDED
   */
  protected final void arriving(
      ArrivalDeadlines deadlines, Deadline until, Consumer<InferenceException> expire) {
    if (until.exists()) {
      arrival = deadlines.begin(until, expire);
    }
  }

  /** Records that the request is whole, or has failed. Once more does nothing. */
  public final void arrived() {
    if (arrival != null) {
      arrival.end();
      arrival = null;
    }
  }

  /** Returns whether the caller cancelled before the answer was complete. */
  protected final boolean isAbandoned() {
    return cancelled;
  }

  /** Records that the caller disconnected before the answer was complete. */
  protected final void leave() {
    if (!cancelled) {
      cancelled = true;
      record.failed(ErrorCode.CANCELLED);
      cancel();
    }
  }

  /** Cancels what is under way. */
  protected final void cancel() {
    if (cancelAction != null) {
      cancelAction.run();
    }
  }

  @Override
  public final String requestId() {
    return requestId;
  }

  /** Returns what carried the request and what it addressed, for the access log. */
  protected abstract AccessEntry.Target accessTarget();

  /** Returns how the request was answered, for the access log. Asked once, at the end. */
  protected abstract AccessEntry.Answer accessAnswer();

  /** Returns the credentials of the request. */
  protected abstract Credentials credentials();

  @Override
  public final Caller caller() {
    if (caller == null) {
      ListenerAccess access = context.access();
      caller =
          access.knowsCredentials()
              ? access.caller(credentials(), wire(record.entryPoint()))
              : access.anonymous();
    }
    return caller;
  }

  private static RestrictedApi.Wire wire(EntryPoint entry) {
    return entry == EntryPoint.GRPC ? RestrictedApi.Wire.GRPC : RestrictedApi.Wire.HTTP;
  }

  /**
   * Decides whether the caller may do an operation, before any work is done for it. What changes
   * the server is logged with the identity; a refusal is logged where it is answered.
   *
   * @throws InferenceException UNAUTHENTICATED or PERMISSION_DENIED; INVALID_ARGUMENT if a header
   *     of the request cannot be read
   */
  public final void require(Operation operation) {
    ask(operation);
    refuseControl(operation);
    caller().require(operation);
    requireHead();
    decided(operation, "");
  }

  /** The same for an operation on one model. */
  public final void require(Operation operation, String model) {
    ask(operation);
    refuseControl(operation);
    nameModel(model);
    caller().require(operation, model);
    requireHead();
    decided(operation, model);
  }

  private void ask(Operation operation) {
    asked = operation;
    if (!operation.isFollowed()) {
      record.forgetSpan();
    }
  }

  private void requireHead() {
    if (headMistake != null) {
      throw headMistake;
    }
  }

  /** Has the exchange fail where the operation is required: there the protocol words its errors. */
  protected final void refuseHead(InferenceException mistake) {
    headMistake = mistake;
  }

  private void nameModel(String model) {
    askedModel = model;
    CallStages stages = record.stages();
    if (stages != null) {
      stages.names(model);
    }
  }

  private void refuseControl(Operation operation) {
    InferenceException refusal = operation.isControl() ? controlRefusal() : null;
    if (refusal != null) {
      throw refusal;
    }
  }

  private void decided(Operation operation, String model) {
    decided = true;
    if (operation.isControl()) {
      context.allowed(this, operation, model);
    }
  }

  /**
   * Returns the control operation that is asked for, or null if it is another one or not known yet.
   */
  final @Nullable Operation control() {
    Operation operation = asked;
    return operation != null && operation.isControl() ? operation : null;
  }

  /** Returns the name of the identity for logs; where a credential is not valid, there is none. */
  final String identity() {
    return caller == null ? "unknown" : caller.identity();
  }

  /** Returns whether {@link #require} has allowed an operation. */
  protected final boolean isDecided() {
    return decided;
  }

  /** Marks an exchange as one without an operation: a CORS preflight request. */
  protected final void needNothing() {
    decided = true;
  }

  /** Returns why this request may not change the server's state, by any caller; or null. */
  protected @Nullable InferenceException controlRefusal() {
    return null;
  }

  @Override
  public Deadline deadline() {
    return deadline;
  }

  @Override
  public final CallRecord record() {
    return record;
  }

  @Override
  public final MemoryAccount memory() {
    return memory;
  }

  /**
   * The answer is written, or never will be: what the exchange holds is given back as soon as no
   * worker works for it. On the event loop; finishing again does nothing.
   */
  protected final void finish() {
    if (!finished) {
      finished = true;
      describe();
      record.sent();
      logAccess();
    }
    if (working == 0) {
      bodyAtEnd = Math.max(bodyAtEnd, memory.held(MemoryBudget.Kind.BODY));
      memory.close();
    }
  }

  private void logAccess() {
    AccessLog log = context.accessLog();
    CallStages stages = record.stages();
    if (log != null && stages != null) {
      Operation operation = asked;
      stages.ended(context.nanoTime().getAsLong());
      log.log(
          AccessEntry.of(
              new AccessEntry.Client(peer(), context.access().listener(), knownIdentity()),
              accessTarget(),
              accessAnswer(),
              stages,
              operation != null && operation.isProbe()));
    }
  }

  private String knownIdentity() {
    return caller == null ? "" : caller.identity();
  }

  private void describe() {
    CallSpan span = record.span();
    if (span == null) {
      return;
    }
    Map<String, Object> facts = new LinkedHashMap<>();
    facts.put("sluice.request_id", requestId);
    String model = record.model() == null ? askedModel : record.model();
    if (!model.isEmpty()) {
      facts.put("sluice.model.name", model);
    }
    if (record.api() != null) {
      facts.put("sluice.protocol", record.api().protocol());
    }
    ClientAddress.describe(peer(), facts);
    describe(facts);
    span.describe(spanName(), facts);
  }

  /** Returns the name of the request's span: of few different ones. */
  protected abstract String spanName();

  /** Adds what the transport knows of the request, by the names of the semantic conventions. */
  protected abstract void describe(Map<String, Object> facts);

  @Override
  public final <T> Future<T> compute(long bytes, Supplier<T> work) {
    if (!context.isLong(bytes)) {
      return context.compute(bytes, () -> accounted(work));
    }
    if (finished && working == 0) {
      // The caller has left, but work goes on that has the body still.
      memory.reopen();
      memory.force(MemoryBudget.Kind.BODY, bodyAtEnd);
    }
    working++;
    return context.compute(bytes, () -> accounted(work)).onComplete(_ -> worked());
  }

  private <T> T accounted(Supplier<T> work) {
    try {
      return memory.within(work);
    } catch (MemoryExhausted e) {
      throw context.memory().busy(e);
    }
  }

  private void worked() {
    working--;
    if (finished) {
      finish();
    }
  }

  /**
   * Charges bytes of the request that are held once more, until the answer is written.
   *
   * @throws InferenceException with RESOURCE_EXHAUSTED if there is no memory for them
   */
  public final void holdBody(long bytes) {
    if (!memory.tryCharge(MemoryBudget.Kind.BODY, bytes)) {
      throw context.memory().busy(memory.refusal(MemoryBudget.Kind.BODY, bytes));
    }
  }

  /**
   * Counts a piece of an answer in pieces until the client has taken it.
   *
   * @param length bytes of the piece
   * @param written completes when it is written, or never will be
   */
  public final void holdPiece(int length, Future<Void> written) {
    memory.force(MemoryBudget.Kind.ANSWER, length);
    pieces += length;
    // What making it has charged beyond the piece itself.
    memory.release(MemoryBudget.Kind.ANSWER, memory.held(MemoryBudget.Kind.ANSWER) - pieces);
    written.onComplete(_ -> {
      pieces -= length;
      memory.release(MemoryBudget.Kind.ANSWER, length);
    });
  }

  /**
   * Charges bytes of an answer that is ready, beyond what making it has charged.
   *
   * @throws InferenceException with RESOURCE_EXHAUSTED if there is no memory to keep it in until
   *     the client takes it
   */
  protected final void holdAnswer(long bytes) {
    long more = bytes - memory.held(MemoryBudget.Kind.ANSWER);
    if (bytes <= ALWAYS_SENT) {
      memory.force(MemoryBudget.Kind.ANSWER, more);
    } else if (!tryHoldAnswer(more)) {
      throw context.memory().busy(memory.refusal(MemoryBudget.Kind.ANSWER, bytes));
    }
  }

  /** Answers about the server and its models may use what predictions leave free for small ones. */
  private boolean tryHoldAnswer(long more) {
    Operation operation = asked;
    boolean predicts = operation == null || operation.role() == Role.INFERENCE;
    return predicts
        ? memory.tryCharge(MemoryBudget.Kind.ANSWER, more)
        : memory.tryChargeReserve(MemoryBudget.Kind.ANSWER, more);
  }

  @Override
  public final void onCancel(Runnable action) {
    cancelAction = action;
    if (cancelled) {
      action.run();
    }
  }
}
