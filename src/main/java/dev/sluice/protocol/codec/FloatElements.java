package dev.sluice.protocol.codec;

import dev.sluice.protocol.codec.JsonCursor.Kind;
import dev.sluice.tensor.TensorBuilder;

/**
 * Elements that are floating point numbers: long lists of them are what most requests are made of.
 *
 * @param isWide whether they have 64 bits, or 32
 */
record FloatElements(boolean isWide) implements JsonElements {
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
    long count = 0;
    int read = FastNumberParser.RUN;
    while (read == FastNumberParser.RUN && count < most) {
      read = in.plainNumbers(most - count, count > 0, !isWide);
      // Together: one by one, the way to native memory takes twice as long.
      put(in.plainValues(), read, out);
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
