package dev.sluice.protocol.codec;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * Reads lists of numbers that are written plainly, as nearly all are: digits, perhaps a point and
 * more digits, few enough for a long, and a comma or bracket behind them. Everything else, right or
 * wrong, is left to {@link JsonNumber}.
 *
 * <p>Signs and numbers of digits change from one number to the next, and no processor guesses them:
 * so neither is asked in a branch. Digits behind a point, and those of integers, are read eight at
 * a time, in the bytes of one long.
 */
final class FastNumberParser {
  /** Numbers that are read at once. */
  static final int RUN = 32;

  /** Bytes of a text as a long, the first one lowest. */
  private static final VarHandle EIGHT =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private static final long ZEROS = 0x3030303030303030L;

  /** A summand for a byte that sets its highest bit unless the byte is at most nine. */
  private static final long ABOVE_NINE = 0x7676767676767676L;

  private static final long HIGHEST_BITS = 0x8080808080808080L;

  private static final long[] WHOLE_POWERS = {
    1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000
  };

  private final byte[] bytes;
  private final int end;

  /** The numbers that were read last, from index 0. */
  private final double[] values = new double[RUN];

  /** The same for integers; null until some are read. */
  private long @Nullable [] integers;

  /** The end of the number that was read last. */
  private int last;

  /** The end of the digits that were read last; {@link #value} is the value of all so far. */
  private int next;

  private long value;

  FastNumberParser(byte[] bytes, int end) {
    this.bytes = bytes;
    this.end = end;
  }

  /**
   * Reads numbers with commas between them.
   *
   * @param at where the first one begins
   * @param most how many at most; {@link #RUN} in any case
   * @param asFloats whether they will be narrowed to the nearest floats: then they may have more
   *     digits than a double holds, and lie up to two doubles beside the nearest one, but not near
   *     the {@linkplain JsonNumber#isNearMiddleOfFloats middle} of two floats
   * @return how many there were, now among the {@link #values}
   */
  int read(int at, long most, boolean asFloats) {
    int capacity = (int) Math.min(most, RUN);
    int count = 0;
    int from = at;
    while (count < capacity && from < end) {
      double number = number(from, asFloats);
      if (Double.isNaN(number)) {
        break;
      }
      values[count++] = number;
      last = next;
      from = behindComma(next);
    }
    return count;
  }

  /**
   * Reads integers with commas between them.
   *
   * @param at where the first one begins
   * @param most how many at most; {@link #RUN} in any case
   * @param lowest what each of them is at least
   * @param highest and at most
   * @return how many there were, now among the {@link #integers}
   */
  int readIntegers(int at, long most, long lowest, long highest) {
    long[] read = integers();
    int capacity = (int) Math.min(most, RUN);
    int count = 0;
    int from = at;
    while (count < capacity && from < end && isInteger(from)) {
      long integer = isMinus(bytes[from]) == 0 ? value : -value;
      if (integer < lowest || integer > highest) {
        break;
      }
      read[count++] = integer;
      last = next;
      from = behindComma(next);
    }
    return count;
  }

  /** Returns the numbers that were read last, from index 0. The next reading overwrites it. */
  double[] values() {
    return values;
  }

  /** Returns the integers that were read last, from index 0. The next reading overwrites them. */
  long[] integers() {
    if (integers == null) {
      integers = new long[RUN];
    }
    return integers;
  }

  /** Returns the end of the number that was read last. */
  int last() {
    return last;
  }

  /**
   * Returns the place behind a comma at which an element may begin; the end if no comma is there.
   */
  int behindComma(int from) {
    if (from == end || bytes[from] != ',') {
      return end;
    }
    int behind = from + 1;
    while (behind < end && bytes[behind] == ' ') {
      behind++;
    }
    return behind;
  }

  /** Returns the number that begins here; not a number if it is not plain. */
  private double number(int from, boolean asFloat) {
    int minus = isMinus(bytes[from]);
    int first = from + minus;
    next = first;
    value = 0;
    readDigits();
    int whole = next - first;
    int fraction = 0;
    if (next < end && bytes[next] == '.') {
      int point = next++;
      readEights();
      fraction = next - point - 1;
    }
    if (!isPlain(first, whole, fraction) || (value > JsonNumber.EXACT_INTEGERS && !asFloat)) {
      return Double.NaN;
    }
    double number = value / JsonNumber.POWERS[fraction];
    return asFloat && JsonNumber.isNearMiddleOfFloats(number)
        ? Double.NaN
        : Double.longBitsToDouble(Double.doubleToRawLongBits(number) ^ ((long) minus << 63));
  }

  /** Returns whether the number that begins here is a plain integer, now the {@link #value}. */
  private boolean isInteger(int from) {
    int first = from + isMinus(bytes[from]);
    next = first;
    value = 0;
    readEights();
    return isPlain(first, next - first, 0);
  }

  /** Returns one if it is a minus sign, else zero. */
  private static int isMinus(byte c) {
    return (((c ^ '-') & 0xFF) - 1) >>> 31;
  }

  private void readDigits() {
    while (next < end && bytes[next] >= '0' && bytes[next] <= '9') {
      value = value * 10 + (bytes[next++] - '0');
    }
  }

  private void readEights() {
    int digits = 8;
    while (digits == 8 && next + 8 <= end) {
      long eight = (long) EIGHT.get(bytes, next) ^ ZEROS;
      long others = ((eight + ABOVE_NINE) | eight) & HIGHEST_BITS;
      digits = Long.numberOfTrailingZeros(others) >>> 3;
      value = value * WHOLE_POWERS[digits] + sum(eight, digits);
      next += digits;
    }
    if (digits == 8) {
      readDigits();
    }
  }

  /** Returns the value of the lowest bytes, each of them a digit, the first one lowest. */
  private static long sum(long eight, int digits) {
    // In two shifts, since one by 64 bits is none.
    int half = 32 - 4 * digits;
    long ones = eight << half << half;
    long tens = (ones * 10 + (ones >>> 8)) & 0x00FF00FF00FF00FFL;
    long hundreds = (tens * 100 + (tens >>> 16)) & 0x0000FFFF0000FFFFL;
    return (hundreds * 10_000 + (hundreds >>> 32)) & 0xFFFFFFFFL;
  }

  /**
   * Returns whether there are digits, not too many, no zero too many in front, and an end behind
   * them.
   */
  private boolean isPlain(int first, int whole, int fraction) {
    if (next == end || (bytes[next] != ',' && bytes[next] != ']')) {
      return false;
    }
    if (whole == 0 || (fraction == 0 && next > first + whole)) {
      return false;
    }
    return bytes[first] == '0'
        ? whole == 1 && fraction <= JsonNumber.LONG_DIGITS
        : whole + fraction <= JsonNumber.LONG_DIGITS;
  }
}
