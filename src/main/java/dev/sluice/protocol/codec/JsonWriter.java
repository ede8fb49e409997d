package dev.sluice.protocol.codec;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.sluice.tensor.MemoryAccount;
import dev.sluice.tensor.MemoryBudget.Kind;
import dev.sluice.transport.Buffers;
import io.vertx.core.buffer.Buffer;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;

/**
 * Writes compact JSON into one growing array. The caller sets commas and brackets as {@link #raw}
 * text and is trusted with the grammar; values are written so that they read back exactly.
 *
 * <p>The array is charged to the request for which this thread works: a text for which there is no
 * memory is refused, when it is begun or while it grows.
 */
public final class JsonWriter {
  private static final byte[] HEX = "0123456789ABCDEF".getBytes(StandardCharsets.US_ASCII);

  private byte[] bytes;
  private int size;
  private boolean nulls;

  /**
   * @param capacity bytes to begin with
   */
  public JsonWriter(int capacity) {
    int first = Math.max(capacity, 64);
    MemoryAccount.chargeCurrent(Kind.ANSWER, first);
    this.bytes = new byte[first];
  }

  /** Writes {@code null} for numbers that are not finite, or else their names. */
  public JsonWriter nullsForNonFinite(boolean wanted) {
    nulls = wanted;
    return this;
  }

  /** Returns how many bytes were written. */
  public int size() {
    return size;
  }

  /** Writes one ASCII character as it is. */
  public JsonWriter raw(char c) {
    claim(1);
    bytes[size++] = (byte) c;
    return this;
  }

  /** Writes ASCII text as it is: brackets, commas, names that need no escaping. */
  @SuppressWarnings("deprecation") // The ISO-8859-1 copy is what is wanted: the text is ASCII.
  public JsonWriter raw(String ascii) {
    int length = ascii.length();
    claim(length);
    ascii.getBytes(0, length, bytes, size);
    size += length;
    return this;
  }

  /** Writes bytes as they are: what protocols put behind JSON. */
  public JsonWriter raw(MemorySegment source) {
    int length = Math.toIntExact(source.byteSize());
    claim(length);
    MemorySegment.copy(source, JAVA_BYTE, 0, bytes, size, length);
    size += length;
    return this;
  }

  /** Writes a name and the colon behind it. */
  public JsonWriter key(String name) {
    return string(name).raw(':');
  }

  /** Writes a string in quotation marks. */
  public JsonWriter string(String text) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    return string(MemorySegment.ofArray(utf8), 0, utf8.length);
  }

  /** Writes bytes as a string in quotation marks. They are taken for UTF-8 and not checked. */
  public JsonWriter string(MemorySegment source, long from, int length) {
    claim(length + 2);
    bytes[size++] = '"';
    int left = length;
    for (long i = from; i < from + length; i++, left--) {
      byte c = source.get(JAVA_BYTE, i);
      if (c < 0 || (c >= ' ' && c != '"' && c != '\\')) {
        bytes[size++] = c;
      } else {
        claim(left + 6);
        escape(c);
      }
    }
    claim(1);
    bytes[size++] = '"';
    return this;
  }

  private void escape(byte c) {
    bytes[size++] = '\\';
    switch (c) {
      case '"', '\\' -> bytes[size++] = c;
      case '\b' -> bytes[size++] = 'b';
      case '\f' -> bytes[size++] = 'f';
      case '\n' -> bytes[size++] = 'n';
      case '\r' -> bytes[size++] = 'r';
      case '\t' -> bytes[size++] = 't';
      default -> {
        raw("u00");
        bytes[size++] = HEX[c >> 4];
        bytes[size++] = HEX[c & 0xF];
      }
    }
  }

  /** Writes bytes as standard base64 in quotation marks. */
  public JsonWriter base64(byte[] source) {
    raw('"');
    byte[] encoded = Base64.getEncoder().encode(source);
    claim(encoded.length);
    System.arraycopy(encoded, 0, bytes, size, encoded.length);
    size += encoded.length;
    return raw('"');
  }

  /** Writes {@code true} or {@code false}. */
  public JsonWriter bool(boolean value) {
    return raw(value ? "true" : "false");
  }

  /** Writes a whole number in decimal digits, without building a string. */
  public JsonWriter number(long value) {
    if (value == Long.MIN_VALUE) {
      return raw("-9223372036854775808");
    }
    claim(20);
    long rest = value;
    if (rest < 0) {
      bytes[size++] = '-';
      rest = -rest;
    }
    int digits = digits(rest);
    for (int i = size + digits - 1; i >= size; i--) {
      bytes[i] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
    size += digits;
    return this;
  }

  private static int digits(long value) {
    int digits = 1;
    for (long rest = value / 10; rest > 0; rest /= 10) {
      digits++;
    }
    return digits;
  }

  /** Writes 64 bits as the unsigned number they are. */
  public JsonWriter unsigned(long value) {
    return value >= 0 ? number(value) : raw(Long.toUnsignedString(value));
  }

  /**
   * Returns the shortest text that reads back as the same float; {@code NaN}, {@code Infinity} as
   * words, or as {@link #nullsForNonFinite} says.
   */
  public JsonWriter number(float value) {
    if (!Float.isFinite(value)) {
      return raw(nulls ? "null" : Float.toString(value));
    }
    claim(FloatText.MOST_BYTES);
    size = FloatText.write(value, bytes, size);
    return this;
  }

  /**
   * Returns the shortest text that reads back as the same double; {@code NaN}, {@code Infinity} as
   * words, or as {@link #nullsForNonFinite} says.
   */
  public JsonWriter number(double value) {
    return raw(nulls && !Double.isFinite(value) ? "null" : Double.toString(value));
  }

  /** Returns the written bytes, without a copy. The writer is not to be used any more. */
  public Buffer toBuffer() {
    return Buffers.wrap(bytes, 0, size);
  }

  private void claim(int more) {
    if (size + more > bytes.length) {
      long doubled = Math.max(bytes.length * 2L, size + (long) more);
      int old = bytes.length;
      int next = (int) Math.min(doubled, Integer.MAX_VALUE - 8L);
      MemoryAccount.chargeCurrent(Kind.ANSWER, next);
      bytes = Arrays.copyOf(bytes, next);
      MemoryAccount.releaseCurrent(Kind.ANSWER, old);
    }
  }
}
