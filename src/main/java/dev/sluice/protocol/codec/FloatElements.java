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
    while (count < most && readPlain(in, out, count > 0)) {
      count++;
    }
    return count;
  }

  private boolean readPlain(JsonCursor in, TensorBuilder out, boolean behindComma) {
    double value = in.plainNumber(behindComma);
    // Not a number: there is no plain one. A float's middle: it would be rounded twice.
    if (Double.isNaN(value) || (!isWide && JsonNumber.isMiddleOfFloats(value))) {
      return false;
    }
    in.passPlainNumber();
    if (isWide) {
      out.putDouble(value);
    } else {
      out.putFloat((float) value);
    }
    return true;
  }
}
