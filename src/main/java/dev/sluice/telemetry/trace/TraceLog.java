package dev.sluice.telemetry.trace;

import dev.sluice.inference.RequestTrace.Event;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/** Writes traces to the log: a line for each request, with its points in time in nanoseconds. */
final class TraceLog {
  private static final Logger LOG = LoggerFactory.getLogger(TraceLog.class);

  private TraceLog() {}

  static void write(List<Event> events) {
    Map<Long, LoggingEventBuilder> lines = new LinkedHashMap<>();
    for (Event event : events) {
      lines.compute(event.id(), (_, line) -> with(line == null ? LOG.atInfo() : line, event));
    }
    lines.forEach((id, line) -> line.addKeyValue("id", id).log("trace"));
  }

  private static LoggingEventBuilder with(LoggingEventBuilder line, Event event) {
    return switch (event) {
      case Event.Begun begun -> with(line, begun);
      case Event.Reached reached -> line.addKeyValue(reached.point().name(), reached.nanos());
      case Event.Ran _, Event.Delayed _ -> line;
      case Event.Carried carried -> line.addKeyValue(carried.activity().name(), carried.name());
    };
  }

  private static LoggingEventBuilder with(LoggingEventBuilder line, Event.Begun begun) {
    LoggingEventBuilder named = line.addKeyValue("model", begun.model());
    if (!begun.requestId().isEmpty()) {
      named = named.addKeyValue("request", begun.requestId());
    }
    return begun.parent() == 0 ? named : named.addKeyValue("parent", begun.parent());
  }
}
