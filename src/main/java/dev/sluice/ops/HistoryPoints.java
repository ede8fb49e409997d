package dev.sluice.ops;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Set;

/**
 * Ring of points in time, each some seconds after the one before. Fixed memory from the start. Not
 * for several threads at once.
 */
final class HistoryPoints {
  private final int stepSeconds;
  private final long[] endMillis;
  private final List<Column> columns;
  private Reading from;
  private int seconds;
  private int next;
  private int size;

  HistoryPoints(Set<Figure> figures, int stepSeconds, int most, Reading start) {
    this.stepSeconds = stepSeconds;
    this.endMillis = new long[most];
    this.columns = figures.stream().map(figure -> new Column(figure, most)).toList();
    this.from = start;
  }

  /** Records that one more second is over: a point, if it is the last of a step. */
  void add(Reading to) {
    columns.forEach(column -> column.look(from, to));
    seconds++;
    if (seconds == stepSeconds) {
      addPoint(to);
    }
  }

  private void addPoint(Reading to) {
    columns.forEach(column -> column.set(next, from, to));
    endMillis[next] = to.millis();
    next = (next + 1) % endMillis.length;
    size = Math.min(size + 1, endMillis.length);
    seconds = 0;
    from = to;
  }

  /** Returns the points that ended later, the oldest first: {@code time_ms}, and each figure. */
  JsonObject json(long afterMillis) {
    var times = new JsonArray();
    int[] places = new int[size];
    int count = 0;
    for (int i = 0; i < size; i++) {
      int place = (next - size + i + endMillis.length) % endMillis.length;
      if (endMillis[place] > afterMillis) {
        times.add(endMillis[place]);
        places[count++] = place;
      }
    }
    var json = new JsonObject().put("time_ms", times);
    for (Column column : columns) {
      json.put(column.figure.key(), column.json(places, count));
    }
    return json;
  }

  /** The values of one figure. */
  private static final class Column {
    private final Figure figure;
    private final double[] values;

    /** The most since the last point. */
    private double peak;

    Column(Figure figure, int most) {
      this.figure = figure;
      this.values = new double[most];
    }

    void look(Reading from, Reading to) {
      if (figure.isGauge()) {
        peak = Math.max(peak, figure.between(from, to));
      }
    }

    void set(int place, Reading from, Reading to) {
      values[place] = figure.isGauge() ? peak : figure.between(from, to);
      peak = 0;
    }

    JsonArray json(int[] places, int count) {
      var json = new JsonArray();
      for (int i = 0; i < count; i++) {
        double value = values[places[i]];
        if (Double.isFinite(value)) {
          json.add(value);
        } else {
          json.addNull();
        }
      }
      return json;
    }
  }
}
