package dev.sluice.protocol.tfs.http;

import dev.sluice.protocol.codec.JsonWriter;
import dev.sluice.protocol.tfs.Classes;
import dev.sluice.protocol.tfs.Inquiry;
import dev.sluice.protocol.tfs.Labels;
import dev.sluice.protocol.tfs.Values;
import io.vertx.core.buffer.Buffer;

/** Writes what was found out about examples. */
final class ResultsJson {
  /** Bytes that a label with its score is likely to take, or a value. */
  private static final int LIKELY_SIZE = 24;

  private ResultsJson() {}

  static Buffer write(Inquiry.Result result) {
    return switch (result.findings()) {
      case Classes classes -> write(classes);
      case Values values -> write(values);
    };
  }

  private static Buffer write(Classes classes) {
    JsonWriter out = begin((long) classes.rows() * classes.width());
    Labels labels = classes.labels();
    for (int row = 0; row < classes.rows(); row++) {
      out.raw(row == 0 ? "[" : ",[");
      for (int column = 0; column < classes.width(); column++) {
        labels.next();
        out.raw(column == 0 ? "[" : ",[");
        out.string(labels.data(), labels.offset(), labels.length());
        out.raw(',').number(classes.score(row, column)).raw(']');
      }
      out.raw(']');
    }
    return out.raw("]}").toBuffer();
  }

  private static Buffer write(Values values) {
    JsonWriter out = begin(values.rows());
    for (int row = 0; row < values.rows(); row++) {
      if (row > 0) {
        out.raw(',');
      }
      out.number(values.value(row));
    }
    return out.raw("]}").toBuffer();
  }

  private static JsonWriter begin(long results) {
    long size = Math.min(results * LIKELY_SIZE, Integer.MAX_VALUE - 16L) + 16;
    return new JsonWriter((int) size).raw("{\"results\":[");
  }
}
