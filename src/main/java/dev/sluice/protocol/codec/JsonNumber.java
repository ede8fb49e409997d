package dev.sluice.protocol.codec;

import ch.randelshofer.fastdoubleparser.JavaDoubleParser;
import ch.randelshofer.fastdoubleparser.JavaFloatParser;
import java.nio.charset.StandardCharsets;

/**
 * One number of a JSON text, read once and then asked for as what is needed. Exact: integers keep
 * all 64 bits, floating point numbers are the nearest value of their own width.
 *
 * <p>Numbers of up to 15 digits and small exponents, nearly all there are, are computed from one
 * exact multiplication or division (Clinger's fast path); the rest goes to a library.
 */
public final class JsonNumber {
  /** Powers of ten that a double holds exactly. */
  static final double[] POWERS = {
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22
  };

  /** Digits that surely fit into a long. */
  static final int LONG_DIGITS = 18;

  /** 10^19, as unsigned bits. */
  private static final long SMALLEST_OF_20_DIGITS = Long.parseUnsignedLong("10000000000000000000");

  /** Digits that fit into a long without a sign, whatever they are. */
  private static final int UNSIGNED_DIGITS = 19;

  /** Integers up to here are exact in a double. */
  static final long EXACT_INTEGERS = 1L << 53;

  /** Exponents beyond this are cut: the value is zero or infinite long before. */
  private static final int EXPONENT_LIMIT = 100_000;

  private final byte[] bytes;
  private final int origin;
  private final int end;

  private int from;
  private int to;
  private boolean negative;
  private boolean word;
  private double wordValue;
  private boolean fractional;

  /** The digits without the point, as far as {@link #digits} is at most {@link #LONG_DIGITS}. */
  private long significand;

  private int digits;
  private int exponent;

  JsonNumber(byte[] bytes, int origin, int end) {
    this.bytes = bytes;
    this.origin = origin;
    this.end = end;
  }

  /** Passes over a number, checking its form and that a double can hold it; where it ends. */
  int skip(int at) {
    int after = read(at);
    if (!word && digits + exponent > 300) {
      toDouble();
    }
    return after;
  }

  /** Reads the number that begins here; where it ends. */
  int read(int at) {
    to = scan(at);
    return to;
  }

  private int scan(int at) {
    from = at;
    word = false;
    fractional = false;
    significand = 0;
    digits = 0;
    exponent = 0;
    int next = at;
    negative = next < end && bytes[next] == '-';
    if (negative) {
      next++;
    }
    if (next < end && (bytes[next] == 'N' || bytes[next] == 'I')) {
      return readWord(next);
    }
    next = readInteger(next);
    next = readFraction(next);
    return readExponent(next);
  }

  private int readInteger(int at) {
    if (at == end || !isDigit(bytes[at])) {
      throw error(JsonError.INVALID_VALUE, at);
    }
    if (bytes[at] == '0') {
      return at + 1;
    }
    return readDigits(at);
  }

  private int readDigits(int at) {
    int next = at;
    long value = significand;
    int count = digits;
    while (next < end && isDigit(bytes[next])) {
      if (count > 0 || bytes[next] != '0') {
        count++;
      }
      value = value * 10 + (bytes[next] - '0');
      next++;
    }
    significand = value;
    digits = count;
    return next;
  }

  private int readFraction(int at) {
    if (at == end || bytes[at] != '.') {
      return at;
    }
    fractional = true;
    int after = readDigits(at + 1);
    if (after == at + 1) {
      throw error(JsonError.MISSING_FRACTION, after);
    }
    exponent = at + 1 - after;
    return after;
  }

  private int readExponent(int at) {
    if (at == end || (bytes[at] != 'e' && bytes[at] != 'E')) {
      return at;
    }
    fractional = true;
    int next = at + 1;
    boolean minus = next < end && bytes[next] == '-';
    if (next < end && (bytes[next] == '-' || bytes[next] == '+')) {
      next++;
    }
    int first = next;
    int value = 0;
    while (next < end && isDigit(bytes[next])) {
      value = Math.min(value * 10 + (bytes[next] - '0'), EXPONENT_LIMIT);
      next++;
    }
    if (next == first) {
      throw error(JsonError.MISSING_EXPONENT, next);
    }
    exponent += minus ? -value : value;
    return next;
  }

  private int readWord(int at) {
    word = true;
    fractional = true;
    boolean nan = bytes[at] == 'N';
    int next = expect(at, nan ? "NaN" : "Inf");
    if (!nan && next < end && bytes[next] == 'i') {
      next = expect(next, "inity");
    }
    wordValue = nan ? Double.NaN : Double.POSITIVE_INFINITY;
    return next;
  }

  private int expect(int at, String letters) {
    int next = at;
    for (int i = 0; i < letters.length(); i++) {
      if (next == end || bytes[next] != letters.charAt(i)) {
        throw error(JsonError.INVALID_VALUE, next);
      }
      next++;
    }
    return next;
  }

  /**
   * Takes a number such as 2.0 or 2e3 for the integer that it is. Others stay what they are, and so
   * do those that are written with more than nineteen digits.
   */
  public void dropFraction() {
    if (!fractional || word || digits > UNSIGNED_DIGITS) {
      return;
    }
    while (exponent < 0 && Long.remainderUnsigned(significand, 10) == 0 && significand != 0) {
      significand = Long.divideUnsigned(significand, 10);
      digits--;
      exponent++;
    }
    while (exponent > 0 && digits <= UNSIGNED_DIGITS && significand != 0) {
      significand *= 10;
      digits++;
      exponent--;
    }
    fractional = exponent != 0 && significand != 0;
  }

  /** Returns whether it is written without fraction and exponent. */
  public boolean isInteger() {
    return !fractional;
  }

  /** Returns whether it is an integer that a signed 64-bit number holds. */
  public boolean isLong() {
    if (fractional) {
      return false;
    }
    if (digits <= LONG_DIGITS) {
      return true;
    }
    // Nineteen digits overflow into the sign at most; the value is then negative where it must not
    // be.
    return digits == 19 && (significand >= 0 || (negative && significand == Long.MIN_VALUE));
  }

  /** Returns the value, if {@link #isLong}. */
  public long toLong() {
    return negative ? -significand : significand;
  }

  /** Returns whether it is an integer that an unsigned 64-bit number holds. */
  public boolean isUnsignedLong() {
    if (fractional || (negative && significand != 0)) {
      return false;
    }
    if (digits < 20) {
      return true;
    }
    // The largest is 18446744073709551615. Twenty digits that begin with a one are at least 10^19,
    // and
    // if they wrapped around, they are below that.
    return digits == 20
        && bytes[from] == '1'
        && Long.compareUnsigned(significand, SMALLEST_OF_20_DIGITS) >= 0;
  }

  /** Returns the value as unsigned bits, if {@link #isUnsignedLong}. */
  public long toUnsignedLong() {
    return significand;
  }

  /**
   * Returns the nearest double.
   *
   * @throws JsonException if it is a finite number beyond what a double holds
   */
  public double toDouble() {
    if (word) {
      return negative ? -wordValue : wordValue;
    }
    if (digits <= LONG_DIGITS && significand <= EXACT_INTEGERS && Math.abs(exponent) <= 22) {
      return fast();
    }
    double parsed = JavaDoubleParser.parseDouble(bytes, from, to - from);
    if (Double.isInfinite(parsed)) {
      throw error(JsonError.NUMBER_TOO_BIG, from);
    }
    return parsed;
  }

  private double fast() {
    double value = significand;
    value = exponent < 0 ? value / POWERS[-exponent] : value * POWERS[exponent];
    return negative ? -value : value;
  }

  /**
   * Returns the nearest float; infinite beyond its range.
   *
   * @throws JsonException if it is a finite number beyond what a double holds
   */
  public float toFloat() {
    double wide = toDouble();
    float narrow = (float) wide;
    if (isNearMiddleOfFloats(wide) || (narrow != 0 && Math.abs(narrow) < Float.MIN_NORMAL)) {
      return word ? narrow : JavaFloatParser.parseFloat(bytes, from, to - from);
    }
    return narrow;
  }

  /**
   * Returns whether a double lies in the middle of two floats of normal size, or next to it.
   * Rounding twice goes wrong only where the first rounding landed there; a double that is no more
   * than two beside the nearest one, only here.
   */
  static boolean isNearMiddleOfFloats(double value) {
    return Math.abs((Double.doubleToRawLongBits(value) & 0x1FFF_FFFFL) - 0x1000_0000L) <= 2;
  }

  /** Returns the number as it is written. */
  public String toText() {
    return new String(bytes, from, to - from, StandardCharsets.US_ASCII);
  }

  private static boolean isDigit(byte c) {
    return c >= '0' && c <= '9';
  }

  private JsonException error(JsonError error, int at) {
    return new JsonException(error, at - origin);
  }
}
