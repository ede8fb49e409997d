package dev.sluice.protocol.tfs.grpc.wire;

import dev.sluice.protocol.codec.protobuf.ProtobufWriter;
import dev.sluice.protocol.tfs.RegressionResults;
import dev.sluice.protocol.tfs.grpc.proto.InferenceResult;
import dev.sluice.protocol.tfs.grpc.proto.Regression;
import dev.sluice.protocol.tfs.grpc.proto.RegressionResult;

/** A RegressionResult. Borrows the values. */
record EncodedRegressions(RegressionResults values) implements EncodedResults {
  private static final int REGRESSIONS = RegressionResult.REGRESSIONS_FIELD_NUMBER;
  private static final int VALUE_SIZE = 1 + Float.BYTES;

  @Override
  public int field() {
    return InferenceResult.REGRESSION_RESULT_FIELD_NUMBER;
  }

  @Override
  public long size() {
    long size = 0;
    for (int row = 0; row < values.rows(); row++) {
      size += 2 + (bits(row) == 0 ? 0 : VALUE_SIZE);
    }
    return size;
  }

  @Override
  public void write(ProtobufWriter out) {
    for (int row = 0; row < values.rows(); row++) {
      int bits = bits(row);
      out.begin(REGRESSIONS, bits == 0 ? 0 : VALUE_SIZE);
      if (bits != 0) {
        out.fixed(Regression.VALUE_FIELD_NUMBER, values.value(row));
      }
    }
  }

  /** Returns the bits of a value; a value of 0 is not written, as proto3 has it. */
  private int bits(int row) {
    return Float.floatToRawIntBits(values.value(row));
  }
}
