package dev.sluice.ops;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * Points of a chart, in the form of grps' monitor.
 *
 * @param label which kind: {@code trend} or {@code cdf}
 */
@SuppressWarnings("ArrayRecordComponent") // Made, written and forgotten.
record ChartSeries(String label, int[] places, double[] values) {
  static ChartSeries trend(double[] values) {
    return new ChartSeries("trend", IntStream.range(0, values.length).toArray(), values);
  }

  /** Pairs of a place and its value. */
  JsonArray points() {
    var points = new JsonArray();
    for (int i = 0; i < values.length; i++) {
      points.add(new JsonArray().add(places[i]).add(values[i]));
    }
    return points;
  }

  /** Returns the series as JSON. Two decimals, as there. */
  Buffer json() {
    var text = new StringBuilder("{\"label\":\"").append(label).append("\",\"data\":[");
    for (int i = 0; i < values.length; i++) {
      text.append(i == 0 ? "[" : ",[").append(places[i]).append(',');
      text.append(String.format(Locale.ROOT, "%.2f", values[i])).append(']');
    }
    return Buffer.buffer(text.append("]}").toString());
  }
}
