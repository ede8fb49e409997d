package dev.sluice.protocol.tfs.grpc.wire;

import dev.sluice.protocol.tfs.RegressionResults;

/** A RegressionResult. Borrows the values. */
record EncodedRegressions(RegressionResults values) implements EncodedResults {
  private static final int REGRESSIONS = 1 << 3 | 2;
  private static final int VALUE = 1 << 3 | 5;
  private static final int VALUE_SIZE = 1 + Float.BYTES;

  @Override
  public int field() {
    return 3;
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
  public void write(TfsWireWriter out) {
    for (int row = 0; row < values.rows(); row++) {
      int bits = bits(row);
      out.open(REGRESSIONS, bits == 0 ? 0 : VALUE_SIZE);
      if (bits != 0) {
        out.varint(VALUE);
        out.fixed32(bits);
      }
    }
  }

  /** Returns the bits of a value; a value of 0 is not written, as proto3 has it. */
  private int bits(int row) {
    return Float.floatToRawIntBits(values.value(row));
  }
}
