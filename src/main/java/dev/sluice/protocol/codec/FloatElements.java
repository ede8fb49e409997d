package dev.sluice.protocol.codec;

import dev.sluice.protocol.codec.JsonCursor.Kind;
import dev.sluice.tensor.TensorBuilder;

/**
 * Elements that are floating point numbers: long lists of them are what most requests are made of.
 *
 * @param isWide whether they have 64 bits, or 32
 */
record FloatElements(boolean isWide) implements JsonElements {
  /** Elements on their way to native memory: it is twice as slow to take them there one by one. */
  private static final int RUN = 32;

  @Override
  public boolean read(JsonCursor in, TensorBuilder out) {
    if (in.peek() != Kind.NUMBER) {
      return false;
    }
    if (isWide) {
      out.putDouble(in.number().toDouble());
    } else {
      out.putFloat(in.number().toFloat());
    }
    return true;
  }

  @Override
  public long readRun(JsonCursor in, TensorBuilder out, long most) {
    double[] run = new double[(int) Math.min(RUN, most)];
    long count = 0;
    int read = run.length;
    while (read == run.length && count < most) {
      int wanted = (int) Math.min(run.length, most - count);
      read = in.plainNumbers(run, wanted, count > 0, !isWide);
      put(run, read, out);
      count += read;
    }
    return count;
  }

  private void put(double[] values, int count, TensorBuilder out) {
    if (isWide) {
      out.putDoubles(values, count);
    } else {
      out.putFloats(values, count);
    }
  }
}
