package dev.sluice.protocol.tfs.http;

import dev.sluice.protocol.codec.JsonWriter;
import dev.sluice.protocol.tfs.ClassificationResults;
import dev.sluice.protocol.tfs.ExampleTasks;
import dev.sluice.protocol.tfs.LabelCursor;
import dev.sluice.protocol.tfs.RegressionResults;
import io.vertx.core.buffer.Buffer;

/** Writes what was found out about examples. */
final class ResultsJson {
  /** Bytes that a label with its score is likely to take, or a value. */
  private static final int LIKELY_SIZE = 24;

  private ResultsJson() {}

  static Buffer write(ExampleTasks.Result result) {
    return switch (result.findings()) {
      case ClassificationResults classes -> write(classes);
      case RegressionResults values -> write(values);
    };
  }

  private static Buffer write(ClassificationResults classes) {
    JsonWriter out = begin((long) classes.rows() * classes.width());
    LabelCursor labels = classes.labels();
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

  private static Buffer write(RegressionResults values) {
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
