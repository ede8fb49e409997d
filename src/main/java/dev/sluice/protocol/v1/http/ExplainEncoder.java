package dev.sluice.protocol.v1.http;

import dev.sluice.inference.explain.Attribution;
import dev.sluice.inference.explain.Explanation;
import dev.sluice.protocol.codec.JsonWriter;
import dev.sluice.tensor.Shape;
import io.vertx.core.buffer.Buffer;
import java.util.function.IntToDoubleFunction;

/** Writes predictions and their explanations. Borrows the explanation. */
final class ExplainEncoder {
  /** The answer where there was nothing to explain. */
  static final String NOTHING = "{\"predictions\":[],\"explanations\":[]}";

  /** Bytes that a score and its error take, as a rule. */
  private static final int LIKELY_ELEMENT = 48;

  private final Shape shape;
  private final JsonWriter out;
  private int next;

  private ExplainEncoder(Shape shape, JsonWriter out) {
    this.shape = shape;
    this.out = out;
  }

  static long likelySize(Explanation explanation) {
    long elements = 1;
    for (Attribution each : explanation.attributions()) {
      elements += each.elements();
    }
    return elements * LIKELY_ELEMENT;
  }

  /**
   * Returns the body of the answer.
   *
   * @param nulls whether numbers that are not finite are null
   */
  static Buffer encode(Explanation explanation, boolean nulls) {
    int size = (int) Math.min(likelySize(explanation) + 256, Integer.MAX_VALUE / 2);
    var out = new JsonWriter(size).nullsForNonFinite(nulls);
    out.raw('{');
    PredictEncoder.rows(explanation.predictions(), PredictEncoder.PREDICTIONS, out);
    out.raw(",\"explanations\":[");
    boolean some = false;
    for (Attribution each : explanation.attributions()) {
      if (some) {
        out.raw(',');
      }
      new ExplainEncoder(explanation.instance(), out).write(each, explanation.samples());
      some = true;
    }
    return out.raw("]}").toBuffer();
  }

  private void write(Attribution attribution, int samples) {
    out.raw("{\"importance_scores\":");
    nested(attribution::score);
    out.raw(",\"base_value\":").number(attribution.baseValue());
    out.raw(",\"predicted_value\":").number(attribution.predictedValue());
    out.raw(",\"output\":").string(attribution.output());
    out.raw(",\"column\":").number((long) attribution.column());
    out.raw(",\"standard_errors\":");
    nested(attribution::error);
    out.raw(",\"samples\":").number((long) samples).raw('}');
  }

  private void nested(IntToDoubleFunction values) {
    next = 0;
    nested(values, 0);
  }

  private void nested(IntToDoubleFunction values, int level) {
    if (level == shape.rank()) {
      out.number(values.applyAsDouble(next++));
      return;
    }
    out.raw('[');
    for (long i = 0; i < shape.dim(level); i++) {
      if (i > 0) {
        out.raw(',');
      }
      nested(values, level + 1);
    }
    out.raw(']');
  }
}
