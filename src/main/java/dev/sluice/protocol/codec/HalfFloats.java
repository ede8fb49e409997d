package dev.sluice.protocol.codec;

/** The two 16-bit floating point types, to and from the nearest wider value. */
public final class HalfFloats {
  private HalfFloats() {}

  /** Returns the nearest FP16 (IEEE 754 binary16), ties to even. */
  public static short toFp16(double value) {
    return Float.floatToFloat16(sticky(value));
  }

  /** Widens an IEEE 754 half-precision number. Exact: every half is a float. */
  public static float fromFp16(short bits) {
    return Float.float16ToFloat(bits);
  }

  /** Returns the nearest BF16, ties to even. */
  public static short toBf16(double value) {
    int bits = Float.floatToRawIntBits(sticky(value));
    if (Double.isNaN(value)) {
      return (short) ((bits >>> 16) | 0x40);
    }
    int half = 0x7FFF + ((bits >>> 16) & 1);
    return (short) ((bits + half) >>> 16);
  }

  /** Widens a bfloat16 number. Exact: it is the upper half of a float's bits. */
  public static float fromBf16(short bits) {
    return Float.intBitsToFloat(bits << 16);
  }

  /**
   * Returns the float next to a value whose last bit says whether anything was cut off, so that
   * rounding it again is as good as rounding the value itself.
   */
  private static float sticky(double value) {
    float near = (float) value;
    if (near == value || Double.isNaN(value) || Float.isInfinite(near)) {
      return near;
    }
    float towardsZero = Math.abs((double) near) > Math.abs(value) ? nearerZero(near) : near;
    return Float.intBitsToFloat(Float.floatToRawIntBits(towardsZero) | 1);
  }

  private static float nearerZero(float value) {
    return Float.intBitsToFloat(Float.floatToRawIntBits(value) - 1);
  }
}
