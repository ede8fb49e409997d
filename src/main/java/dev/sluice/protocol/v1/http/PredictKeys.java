package dev.sluice.protocol.v1.http;

import java.util.List;

/**
 * The meaning of {@code inputs} at a listener, from its dialects.
 *
 * @param columns whether it may be whole tensors, as TensorFlow Serving has it
 * @param rows whether it may be rows, as KServe has it
 */
record PredictKeys(boolean columns, boolean rows) {
  static PredictKeys of(List<V1Dialect> dialects) {
    return new PredictKeys(
        dialects.stream().anyMatch(dialect -> dialect.inputs() == V1Dialect.Inputs.COLUMNS),
        dialects.stream().anyMatch(dialect -> dialect.inputs() == V1Dialect.Inputs.ROWS));
  }
}
