package dev.sluice.protocol.v1.http;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.protocol.codec.JsonTensors;
import dev.sluice.protocol.codec.JsonTensors.BytesForm;
import dev.sluice.protocol.codec.JsonWriter;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes an answer to a predict request. Borrows the response.
 *
 * <p>Numbers are written in the shortest form that reads back as the same value; texts that are no
 * UTF-8 become base64 objects.
 */
final class PredictEncoder {
  static final String PREDICTIONS = "predictions";

  private static final String BYTES_SUFFIX = "_bytes";

  /** Bytes beside the tensors. */
  private static final int FRAME = 64;

  private final List<NamedTensor> outputs;
  private final JsonWriter out;

  private PredictEncoder(List<NamedTensor> outputs, boolean nulls) {
    this.outputs = outputs;
    long size = FRAME + likelySize(outputs);
    this.out =
        new JsonWriter((int) Math.min(size, Integer.MAX_VALUE - 8L)).nullsForNonFinite(nulls);
  }

  private PredictEncoder(List<NamedTensor> outputs, JsonWriter out) {
    this.outputs = outputs;
    this.out = out;
  }

  /** Returns the number of bytes that the tensors of a response are likely to take. */
  static long likelySize(InferenceResponse response) {
    return likelySize(response.outputs());
  }

  private static long likelySize(List<NamedTensor> outputs) {
    long size = 0;
    for (NamedTensor output : outputs) {
      size += JsonTensors.likelySize(output.tensor());
    }
    return size;
  }

  /**
   * Writes the rows of an answer under a key, without braces around it.
   *
   * @throws InferenceException with INVALID_ARGUMENT if the outputs cannot be laid out as rows
   */
  static void rows(InferenceResponse response, String key, JsonWriter out) {
    new PredictEncoder(response.outputs(), out).rows(key);
  }

  /**
   * Requires that every output has so many rows.
   *
   * @throws InferenceException with INVALID_ARGUMENT if one has not
   */
  static void requireRows(InferenceResponse response, long wanted) {
    for (NamedTensor output : response.outputs()) {
      Shape shape = output.tensor().shape();
      if (shape.rank() > 0 && shape.dim(0) != wanted) {
        throw InferenceException.invalid(
            "output '%s' of the model has %d rows for %d instances; wanted one for each"
                .formatted(output.name(), shape.dim(0), wanted));
      }
    }
  }

  /**
   * Returns the body of the answer.
   *
   * @param nulls whether numbers that are not finite are null
   * @throws InferenceException with INVALID_ARGUMENT if the outputs cannot be laid out as rows
   */
  static Buffer encode(InferenceResponse response, ResponseLayout form, boolean nulls) {
    if (response.outputs().isEmpty()) {
      throw InferenceException.invalid("Cannot convert empty tensor map to JSON");
    }
    var encoder = new PredictEncoder(response.outputs(), nulls);
    encoder.out.raw('{');
    switch (form) {
      case ROWS -> encoder.rows(PREDICTIONS);
      case COLUMNS -> encoder.columns();
      case BOTH -> encoder.both();
    }
    return encoder.out.raw('}').toBuffer();
  }

  private void rows(String key) {
    long rows = batchSize();
    List<JsonTensors> walks = new ArrayList<>(outputs.size());
    for (NamedTensor output : outputs) {
      walks.add(values(output));
    }
    out.key(key).raw('[');
    for (long row = 0; row < rows; row++) {
      if (row > 0) {
        out.raw(',');
      }
      row(walks);
    }
    out.raw(']');
  }

  private void row(List<JsonTensors> walks) {
    if (walks.size() == 1) {
      walks.getFirst().row();
      return;
    }
    for (int i = 0; i < walks.size(); i++) {
      out.raw(i == 0 ? '{' : ',').key(outputs.get(i).name());
      walks.get(i).row();
    }
    out.raw('}');
  }

  /** Returns how many rows the outputs have; all must have as many. */
  private long batchSize() {
    long rows = -1;
    for (NamedTensor output : outputs) {
      Shape shape = output.tensor().shape();
      if (shape.rank() == 0) {
        throw InferenceException.invalid(
            "Tensor name: " + output.name() + " has no shape information ");
      }
      if (rows >= 0 && shape.dim(0) != rows) {
        throw InferenceException.invalid(
            "Tensor name: "
                + output.name()
                + " has inconsistent batch size: "
                + shape.dim(0)
                + " expecting: "
                + rows);
      }
      rows = shape.dim(0);
    }
    return rows;
  }

  private void columns() {
    out.raw("\"outputs\":");
    if (outputs.size() == 1) {
      values(outputs.getFirst()).nested();
      return;
    }
    for (int i = 0; i < outputs.size(); i++) {
      out.raw(i == 0 ? '{' : ',').key(outputs.get(i).name());
      values(outputs.get(i)).nested();
    }
    out.raw('}');
  }

  private void both() {
    columns();
    if (outputs.size() == 1 && outputs.getFirst().tensor().shape().rank() > 0) {
      out.raw(',');
      rows(PREDICTIONS);
    }
  }

  private JsonTensors values(NamedTensor output) {
    boolean base64 = output.name().endsWith(BYTES_SUFFIX);
    return new JsonTensors(
        output.tensor(), out, base64 ? BytesForm.BASE64_OBJECT : TextOrBase64.FORM);
  }
}
