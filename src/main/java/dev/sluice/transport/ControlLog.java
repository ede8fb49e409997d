package dev.sluice.transport;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.access.Operation;
import dev.sluice.transport.connection.RateLimitedLog;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Log lines of refused control operations, with identity, operation and listener. They are folded
 * by identity and operation, so that a flood by one identity hides neither what another one tries
 * nor another operation of its own. Any thread.
 */
final class ControlLog {
  /** Pairs of identity and operation that are folded by themselves; others by operation alone. */
  static final int MOST_PAIRS = 1_000;

  private final Set<String> pairs = ConcurrentHashMap.newKeySet();
  private final RateLimitedLog lines;

  ControlLog(RateLimitedLog lines) {
    this.lines = lines;
  }

  /** Returns whether a failure is that a caller may not do a control operation. */
  static boolean concerns(ListenerExchange exchange, InferenceException failure) {
    return exchange.control() != null
        && (failure.code() == ErrorCode.PERMISSION_DENIED
            || failure.code() == ErrorCode.UNAUTHENTICATED
            || !exchange.isDecided());
  }

  /** Begins the line of a refused control operation, or one that goes nowhere. */
  LoggingEventBuilder refused(ListenerExchange exchange) {
    Operation operation = Objects.requireNonNull(exchange.control());
    String identity = exchange.identity();
    return lines
        .at(Level.WARN, kind(operation, identity))
        .addKeyValue("operation", operation.text())
        .addKeyValue("identity", identity)
        .addKeyValue("listener", exchange.context().access().listener());
  }

  String kind(Operation operation, String identity) {
    String pair = operation.text() + " by " + identity;
    if (!pairs.contains(pair)) {
      if (pairs.size() >= MOST_PAIRS) {
        return operation.text();
      }
      pairs.add(pair);
    }
    return pair;
  }
}
