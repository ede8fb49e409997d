package dev.sluice.boot.accesslog;

import dev.sluice.boot.log.TextLayout;
import dev.sluice.config.server.AccessLogPattern.Field;
import dev.sluice.inference.BoundedText;
import dev.sluice.telemetry.access.AccessEntry;
import dev.sluice.telemetry.access.CallStages;
import dev.sluice.telemetry.meter.Api;
import io.vertx.core.net.SocketAddress;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Returns the fields of an entry as texts, for any format. */
final class AccessFields {
  private static final int NANOS_PER_MICRO = 1_000;
  private static final int MICROS_PER_MILLI = 1_000;

  private AccessFields() {}

  /** Returns a field, bounded and without characters that a terminal obeys; null if it has none. */
  static @Nullable String of(AccessEntry entry, Field field) {
    CallStages stages = entry.stages();
    return switch (field) {
      case TIME -> TextLayout.TIME.format(Instant.ofEpochMilli(entry.beganMillis()));
      case CLIENT -> client(entry.client().address());
      case LISTENER -> text(entry.client().listener());
      case IDENTITY -> text(entry.client().identity());
      case PROTOCOL -> text(entry.target().protocol());
      case API -> api(stages.api());
      case METHOD -> text(entry.target().method());
      case PATH -> text(entry.target().path());
      case MODEL -> text(stages.model());
      case VERSION -> number(stages.version());
      case ERROR -> entry.error() == null ? null : entry.error().name();
      case REQUEST_ID -> text(entry.target().requestId());
      case TRACE_ID -> text(stages.traceId());
      case STATUS -> number(entry.answer().status());
      case RPC_STATUS -> number(entry.answer().rpcStatus());
      case BYTES_IN -> number(entry.answer().bytesIn());
      case BYTES_OUT -> number(entry.answer().bytesOut());
      default -> time(stages, field);
    };
  }

  private static @Nullable String time(CallStages stages, Field field) {
    return switch (field) {
      case TOTAL_MS -> millis(stages.total());
      case RECEIVE_MS -> millis(stages.receiving());
      case DECODE_MS -> millis(stages.decoding());
      case QUEUE_MS -> millis(stages.queued());
      case RUN_MS -> millis(stages.ran());
      case ENCODE_MS -> millis(stages.encoding());
      case SEND_MS -> millis(stages.sendingTime());
      case BATCH_SIZE -> number(stages.batchSize());
      default -> throw new IllegalArgumentException("no time: " + field);
    };
  }

  /** That of a Unix domain socket is the server's own path. */
  private static @Nullable String client(@Nullable Object address) {
    boolean local = address instanceof SocketAddress socket && socket.isDomainSocket();
    return address == null || local ? null : text(address.toString());
  }

  private static @Nullable String api(@Nullable Api api) {
    return api == null ? null : api.protocol() + "." + api.label();
  }

  private static @Nullable String text(String value) {
    return value.isEmpty() ? null : BoundedText.escape(value);
  }

  private static @Nullable String number(long value) {
    return value < 0 ? null : Long.toString(value);
  }

  /** Milliseconds, to the microsecond. */
  private static @Nullable String millis(long nanos) {
    if (nanos < 0) {
      return null;
    }
    long micros = nanos / NANOS_PER_MICRO;
    String rest = Long.toString(MICROS_PER_MILLI + micros % MICROS_PER_MILLI);
    return micros / MICROS_PER_MILLI + "." + rest.substring(1);
  }
}
