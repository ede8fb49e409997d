package dev.sluice.protocol.codec;

import java.math.BigInteger;

/**
 * The shortest decimal text that reads back as the same float, straight into bytes: what {@link
 * Float#toString} makes, without the string. Raffaele Giulietti's "The Schubfach way to render
 * doubles", for 32 bits: of the decimals of one length, at most four can lie in the interval that
 * rounds to a float, and three multiplications decide which ones do by a power of ten of 63 bits.
 *
 * <p>A float is {@code c * 2^q} here, and its text {@code d * 10^k}.
 */
final class FloatText {
  /** The longest text, in bytes: {@code -1.23456789E-38}. */
  static final int MOST_BYTES = 15;

  private static final int FRACTION_BITS = 23;
  private static final int IMPLICIT_BIT = 1 << FRACTION_BITS;
  private static final int FRACTION = IMPLICIT_BIT - 1;
  private static final int LEAST_Q = -149;

  /** Subnormal numbers below this have one digit; two are wanted, as in {@code 1.4E-45}. */
  private static final int LEAST_OF_TWO_DIGITS = 8;

  private static final int LEAST_K = -45;
  private static final int MOST_K = 31;
  private static final long[] POWERS = powers();

  private static final int[] TENS = {
    1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000
  };

  private FloatText() {}

  /** Powers {@code 10^-k}, cut to 63 bits and rounded up. */
  private static long[] powers() {
    long[] powers = new long[MOST_K - LEAST_K + 1];
    for (int k = LEAST_K; k <= MOST_K; k++) {
      BigInteger ten = BigInteger.TEN.pow(Math.abs(k));
      BigInteger power = k <= 0 ? ten.shiftLeft(63) : BigInteger.ONE.shiftLeft(200).divide(ten);
      powers[k - LEAST_K] = power.shiftRight(power.bitLength() - 63).longValueExact() + 1;
    }
    return powers;
  }

  /** Writes a number that is finite; where the text ends. */
  static int write(float value, byte[] into, int at) {
    int bits = Float.floatToRawIntBits(value);
    int next = at;
    if (bits < 0) {
      into[next++] = '-';
    }
    int exponent = (bits >>> FRACTION_BITS) & 0xFF;
    int fraction = bits & FRACTION;
    if (exponent > 0) {
      return decimal(exponent - 1 + LEAST_Q, fraction | IMPLICIT_BIT, 0, into, next);
    }
    if (fraction == 0) {
      return plain(0, 1, 1, into, next);
    }
    return fraction < LEAST_OF_TWO_DIGITS
        ? decimal(LEAST_Q, 10 * fraction, -1, into, next)
        : decimal(LEAST_Q, fraction, 0, into, next);
  }

  /** Finds the shortest decimal that rounds to {@code c * 2^q}, and writes it times a power. */
  private static int decimal(int q, int c, int power, byte[] into, int at) {
    // Below a power of two, floats are twice as dense.
    boolean even = c != IMPLICIT_BIT || q == LEAST_Q;
    int k = even ? (q * 315_653) >> 20 : (q * 315_653 - 131_008) >> 20;
    int shift = q + ((-k * 1_741_647) >> 19) + 33;
    long g = POWERS[k - LEAST_K];
    int out = c & 1;
    int middle = scaled(g, (long) c << 2, shift);
    int low = scaled(g, ((long) c << 2) - (even ? 2 : 1), shift) + out;
    int high = scaled(g, ((long) c << 2) + 2, shift) - out;
    int below = middle >> 2;
    int tens = below / 10 * 10;
    if (below >= 100 && (low <= tens << 2) != ((tens + 10) << 2 <= high)) {
      return digits(low <= tens << 2 ? tens : tens + 10, k, into, at);
    }
    boolean belowFits = low <= below << 2;
    boolean aboveFits = (below + 1) << 2 <= high;
    int nearer = middle - ((2 * below + 1) << 1);
    boolean takeBelow =
        belowFits == aboveFits ? nearer < 0 || (nearer == 0 && (below & 1) == 0) : belowFits;
    return digits(takeBelow ? below : below + 1, k + power, into, at);
  }

  /** {@code c * 10^-k}, of which all bits that are cut off are kept as one. */
  private static int scaled(long g, long c, int shift) {
    long product = Math.multiplyHigh(g, c << shift);
    int rest = (product & 0x7FFF_FFFFL) == 0 ? 0 : 1;
    return (int) (product >>> 31) | rest;
  }

  private static int digits(int d, int k, byte[] into, int at) {
    int digits = d;
    int exponent = k;
    while (digits % 10 == 0) {
      digits /= 10;
      exponent++;
    }
    int count = count(digits);
    int point = count + exponent;
    return point > -3 && point <= 7
        ? plain(digits, count, point, into, at)
        : scientific(digits, count, point - 1, into, at);
  }

  /** There are about 0.3 times as many digits as bits, or one more: from the power of ten on. */
  private static int count(int digits) {
    int guess = ((Integer.SIZE - Integer.numberOfLeadingZeros(digits)) * 1233) >>> 12;
    return digits < TENS[guess] ? guess : guess + 1;
  }

  /** Writes digits with so many of them, or zeros, before the point. */
  private static int plain(int digits, int count, int point, byte[] into, int at) {
    int whole = Math.max(point, 1);
    int last = Math.max(count - point, 1);
    int dot = at + whole;
    into[dot] = '.';
    int rest = digits;
    for (int place = last; place > -whole; place--) {
      boolean isZero = place > count - point;
      into[place > 0 ? dot + place : dot + place - 1] = (byte) ('0' + (isZero ? 0 : rest % 10));
      rest = isZero ? rest : rest / 10;
    }
    return dot + last + 1;
  }

  private static int scientific(int digits, int count, int exponent, byte[] into, int at) {
    int next = plain(digits, count, 1, into, at);
    into[next++] = 'E';
    if (exponent < 0) {
      into[next++] = '-';
    }
    int size = Math.abs(exponent);
    if (size >= 10) {
      into[next++] = (byte) ('0' + size / 10);
    }
    into[next++] = (byte) ('0' + size % 10);
    return next;
  }
}
