package dev.sluice.ops;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.vertx.core.json.JsonObject;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * The figures of the server or of a model in the past ten minutes, six hours and day. Fixed memory:
 * some 180 KiB for the server, which has a point for each second of the ten minutes, and 23 KiB for
 * a model, which has one for every fifth.
 *
 * <p>A longer step is worked out of the counts at its two ends, and not of the figures of its
 * seconds, so that its quantiles are those of all its calls.
 *
 * <p>Threads: one adds, any may read.
 */
final class History {
  /** How far back. */
  enum Span {
    MINUTES(600, 600),
    HOURS(21_600, 720),
    DAY(86_400, 720);

    private final int seconds;
    private final int points;

    Span(int seconds, int points) {
      this.seconds = seconds;
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

  /** A model has so many times fewer points than the server, since there are many models. */
  private static final int COARSER = 5;

  private final int coarser;

  @GuardedBy("this")
  private final Map<Span, HistoryPoints> points = new EnumMap<>(Span.class);

  private History(Set<Figure> figures, int coarser, Reading start) {
    this.coarser = coarser;
    for (Span span : Span.values()) {
      points.put(span, new HistoryPoints(figures, step(span), most(span), start));
    }
  }

  /**
   * Returns the history of the server, without a point yet.
   *
   * @param start the counts from which on it counts
   */
  static History ofServer(Reading start) {
    return new History(Figure.ofServer(), 1, start);
  }

  /** Returns the history of a model, likewise. */
  static History ofModel(Reading start) {
    return new History(Figure.ofModels(), COARSER, start);
  }

  private int most(Span span) {
    return span.points / coarser;
  }

  private int step(Span span) {
    return span.seconds / most(span);
  }

  /** Records that one more second is over. */
  synchronized void add(Reading reading) {
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
        .put("step_seconds", step(span))
        .put("most_points", most(span))
        .put("figures", of.json(afterMillis));
  }
}
