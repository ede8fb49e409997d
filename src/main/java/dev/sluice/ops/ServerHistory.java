package dev.sluice.ops;

import io.vertx.core.json.JsonObject;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * The figures of the server in the past: of each second for ten minutes, of each half minute for
 * six hours, of each two minutes for a day. Some 160 KiB, whatever the load.
 *
 * <p>A longer step is worked out of the counts at its two ends, and not of the figures of its
 * seconds, so that its quantiles are those of all its calls.
 *
 * <p>Threads: one adds, any may read.
 */
final class ServerHistory {
  /** How far back, and how finely. */
  enum Span {
    MINUTES(1, 600),
    HOURS(30, 720),
    DAY(120, 720);

    private final int stepSeconds;
    private final int points;

    Span(int stepSeconds, int points) {
      this.stepSeconds = stepSeconds;
      this.points = points;
    }

    /** Returns the span of this name in requests; empty if there is none. */
    static Optional<Span> of(String name) {
      for (Span span : values()) {
        if (span.text().equals(name)) {
          return Optional.of(span);
        }
      }
      return Optional.empty();
    }

    String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private final Map<Span, HistoryPoints> points = new EnumMap<>(Span.class);

  /**
   * @param start the counts from which on it counts
   */
  ServerHistory(ServerReading start) {
    for (Span span : Span.values()) {
      points.put(span, new HistoryPoints(span.stepSeconds, span.points, start));
    }
  }

  /** Records that one more second is over. */
  synchronized void add(ServerReading reading) {
    points.values().forEach(each -> each.add(reading));
  }

  /**
   * Returns the points of a span as JSON: arrays of one length, the oldest first.
   *
   * @param afterMillis only those that ended later than this, in milliseconds since 1970
   */
  synchronized JsonObject json(Span span, long afterMillis) {
    HistoryPoints of = Objects.requireNonNull(points.get(span), "every span has points");
    return new JsonObject()
        .put("span", span.text())
        .put("step_seconds", span.stepSeconds)
        .put("most_points", span.points)
        .put("figures", of.json(afterMillis));
  }
}
