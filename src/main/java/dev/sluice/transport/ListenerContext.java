package dev.sluice.transport;

import dev.sluice.config.server.LimitsConfig;
import dev.sluice.inference.Deadline;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.access.Operation;
import dev.sluice.security.ListenerAccess;
import dev.sluice.telemetry.CallRecord;
import dev.sluice.telemetry.Telemetry;
import dev.sluice.telemetry.access.AccessLog;
import dev.sluice.telemetry.meter.EntryPoint;
import dev.sluice.transport.connection.RateLimitedLog;
import dev.sluice.transport.connection.RequestMemory;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;
import org.slf4j.spi.NOPLoggingEventBuilder;

/**
 * State that all requests of one listener share. Immutable; any thread.
 *
 * @param vertx where work that takes long is given to workers
 * @param limits what one caller may cost
 * @param access who may do what through this listener
 * @param telemetry counts calls
 * @param nanoTime the clock of deadlines
 * @param memory what all requests of the server may hold
 * @param guard keeps pages of foreign origins out
 * @param accessLog gets an entry of each call; null if there is none
 */
public record ListenerContext(
    Vertx vertx,
    LimitsConfig limits,
    ListenerAccess access,
    Telemetry telemetry,
    LongSupplier nanoTime,
    RequestMemory memory,
    BrowserGuard guard,
    @Nullable AccessLog accessLog) {
  /** Characters of a failure's text that go into the log. */
  private static final int MAX_LOGGED = 500;

  private static final Logger LOG = LoggerFactory.getLogger(ListenerContext.class);

  private static final RateLimitedLog FAULTS = new RateLimitedLog(LOG);

  private static final ControlLog REFUSALS = new ControlLog(new RateLimitedLog(LOG));

  /** While models start, every caller meets the same: one line says it. */
  private static final RateLimitedLog STARTING = RateLimitedLog.ofFirst(LOG, Duration.ofMinutes(1));

  /** Without a guard against browsers and an access log. */
  public ListenerContext(
      Vertx vertx,
      LimitsConfig limits,
      ListenerAccess access,
      Telemetry telemetry,
      LongSupplier nanoTime,
      RequestMemory memory) {
    this(vertx, limits, access, telemetry, nanoTime, memory, BrowserGuard.OPEN, null);
  }

  /** Returns the deadline of a request that names none, and began at a time. */
  public Deadline deadline(long begunNanos) {
    return limits.requestTimeout().isZero()
        ? Deadline.NONE
        : Deadline.after(limits.requestTimeout(), begunNanos);
  }

  /** Returns the record of a call that begins now. */
  public CallRecord record(EntryPoint entryPoint) {
    return new CallRecord(telemetry, entryPoint, nanoTime, accessLog != null);
  }

  /** Returns whether work of this size is done on a worker. */
  boolean isLong(long bytes) {
    return bytes >= limits.offloadSize();
  }

  /** See {@link Exchange#compute}. */
  public <T> Future<T> compute(long bytes, Supplier<T> work) {
    if (isLong(bytes)) {
      Callable<T> callable = work::get;
      return vertx.executeBlocking(callable, false);
    }
    try {
      return Future.succeededFuture(work.get());
    } catch (RuntimeException | Error e) {
      return Future.failedFuture(e);
    }
  }

  /** Logs a request that failed for a reason we know, at a level that says whose fault it is. */
  public void failed(Exchange exchange, InferenceException failure) {
    if (exchange instanceof ListenerExchange asking && ControlLog.concerns(asking, failure)) {
      LoggingEventBuilder line = REFUSALS.refused(asking);
      if (!(line instanceof NOPLoggingEventBuilder)) {
        describe(exchange, line).addKeyValue("code", failure.code()).log(cut(failure.getMessage()));
      }
      return;
    }
    if (failure.isStarting()) {
      write(exchange, failure, STARTING.at(Level.INFO, "starting"));
      return;
    }
    Level level =
        switch (failure.code().fault()) {
          case CALLER -> Level.INFO;
          // Overload is logged where it is rejected, once a second, not once a request.
          case CAPACITY ->
              failure.code() == ErrorCode.RESOURCE_EXHAUSTED ? Level.DEBUG : Level.WARN;
          // The breaker of a model that has answered nothing logs that once.
          case SERVER -> failure.isOfUnprovenModel() ? Level.WARN : Level.ERROR;
        };
    LoggingEventBuilder line =
        level == Level.ERROR ? LOG.atError() : FAULTS.at(level, failure.code().name());
    write(exchange, failure, line);
  }

  private static void write(
      Exchange exchange, InferenceException failure, LoggingEventBuilder line) {
    if (!(line instanceof NOPLoggingEventBuilder)) {
      describe(exchange, line).addKeyValue("code", failure.code()).log(cut(failure.getMessage()));
    }
  }

  /**
   * Logs a request that is not answered, whatever it asks for.
   *
   * @param peer its client's address, as far as it is known
   */
  public void turnedAway(@Nullable Object peer, BrowserGuard.Refusal refusal) {
    LoggingEventBuilder line = FAULTS.at(Level.WARN, "turned away, " + refusal.status());
    (peer == null ? line : line.addKeyValue("client", peer))
        .addKeyValue("listener", access.listener())
        .addKeyValue("status", refusal.status())
        .log(cut(refusal.text()));
  }

  /** The same for a request that is no exchange. */
  public void failed(String requestId, InferenceException failure) {
    FAULTS
        .at(Level.INFO, failure.code().name())
        .addKeyValue("request", cut(requestId))
        .addKeyValue("code", failure.code())
        .log(cut(failure.getMessage()));
  }

  private static LoggingEventBuilder describe(Exchange exchange, LoggingEventBuilder line) {
    Object peer = exchange.peer();
    if (peer != null) {
      line = line.addKeyValue("client", peer);
    }
    if (!exchange.path().isEmpty()) {
      line = line.addKeyValue("path", cut(exchange.path()));
    }
    line = line.addKeyValue("protocol", exchange.record().entryPoint());
    String model = exchange.record().model();
    if (model != null) {
      line = line.addKeyValue("model", cut(model));
    }
    return line.addKeyValue("request", cut(exchange.requestId()));
  }

  /**
   * Cuts the text of a message: it may repeat as much of the request as the protocol wants to show.
   * A log line need not.
   */
  private static String cut(String text) {
    return text.length() <= MAX_LOGGED ? text : text.substring(0, MAX_LOGGED) + "...";
  }

  /** Logs that a caller may change what the server does for others. */
  void allowed(Exchange exchange, Operation operation, String model) {
    var line =
        LOG.atInfo()
            .addKeyValue("request", exchange.requestId())
            .addKeyValue("listener", exchange.caller().listener())
            .addKeyValue("identity", exchange.caller().identity());
    (model.isEmpty() ? line : line.addKeyValue("model", cut(model)))
        .log("operation '{}' is allowed", operation.text());
  }

  /** Logs a failure that is ours. The client gets only that there was one. */
  public void bug(Exchange exchange, Throwable failure) {
    telemetry.liveness().note(failure);
    describe(exchange, LOG.atError())
        .setCause(failure)
        .log("internal error while answering a request");
  }
}
