package dev.sluice.protocol.codec;

import dev.sluice.tensor.TensorBuilder;
import java.nio.charset.StandardCharsets;

/**
 * One string of a JSON text: its bytes with the escapes undone. A string without escapes is a range
 * of the text itself and is not copied.
 */
public final class JsonString {
  private final byte[] text;
  private final int origin;
  private final int limit;

  private byte[] bytes;
  private int offset;
  private int length;
  private int after;

  JsonString(byte[] text, int origin, int limit) {
    this.text = text;
    this.origin = origin;
    this.limit = limit;
    this.bytes = text;
  }

  /** Returns the array that holds the string's bytes. Not to be changed. */
  public byte[] bytes() {
    return bytes;
  }

  /** Returns the offset of the bytes in their array. */
  public int offset() {
    return offset;
  }

  /** Returns how many they are. */
  public int length() {
    return length;
  }

  /** Returns the string, read as UTF-8. */
  public String toText() {
    return new String(bytes, offset, length, StandardCharsets.UTF_8);
  }

  /** Puts the bytes as one element. */
  public void putInto(TensorBuilder builder) {
    builder.putBytes(bytes, offset, length);
  }

  /** Returns the position behind the closing quotation mark. */
  int end() {
    return after;
  }

  /** Passes over a string, checking it; where it ends. */
  int skip(int at) {
    int next = at + 1;
    while (next < limit) {
      byte c = text[next];
      if (c == '"') {
        return next + 1;
      }
      if (c == '\\') {
        next = skipEscape(next);
      } else {
        requireUnescaped(c, next);
        next++;
      }
    }
    throw error(JsonError.MISSING_QUOTE, next);
  }

  private void requireUnescaped(byte c, int at) {
    if (c >= 0 && c < ' ') {
      throw error(c == 0 ? JsonError.MISSING_QUOTE : JsonError.BAD_ESCAPE, at);
    }
  }

  private int skipEscape(int at) {
    if (at + 1 < limit && text[at + 1] == 'u') {
      return codePoint(at) > 0xFFFF ? at + 12 : at + 6;
    }
    plainEscape(at);
    return at + 2;
  }

  /** Reads the string whose opening quotation mark is here. */
  JsonString read(int at) {
    after = skip(at);
    bytes = text;
    offset = at + 1;
    length = after - at - 2;
    for (int i = offset; i < offset + length; i++) {
      if (text[i] == '\\') {
        unescape(at + 1, after - 1);
        break;
      }
    }
    return this;
  }

  private void unescape(int from, int to) {
    byte[] plain = new byte[to - from];
    int size = 0;
    int next = from;
    while (next < to) {
      byte c = text[next];
      if (c != '\\') {
        plain[size++] = c;
        next++;
      } else if (text[next + 1] == 'u') {
        int codePoint = codePoint(next);
        size = utf8(codePoint, plain, size);
        next += codePoint > 0xFFFF ? 12 : 6;
      } else {
        plain[size++] = plainEscape(next);
        next += 2;
      }
    }
    bytes = plain;
    offset = 0;
    length = size;
  }

  private byte plainEscape(int at) {
    int c = at + 1 < limit ? text[at + 1] : -1;
    return switch (c) {
      case '"', '\\', '/' -> (byte) c;
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      default -> throw error(JsonError.BAD_ESCAPE, at);
    };
  }

  /**
   * Returns the code point that the escape here stands for, two escapes together if it is beyond 16
   * bits.
   */
  private int codePoint(int at) {
    int unit = hex(at, at + 2);
    if (unit < 0xD800 || unit > 0xDFFF) {
      return unit;
    }
    boolean paired = unit < 0xDC00 && at + 7 < limit && text[at + 6] == '\\' && text[at + 7] == 'u';
    int second = paired ? hex(at, at + 8) : 0;
    if (second < 0xDC00 || second > 0xDFFF) {
      throw error(JsonError.BAD_SURROGATE, at);
    }
    return 0x10000 + ((unit - 0xD800) << 10) + (second - 0xDC00);
  }

  private int hex(int escape, int at) {
    int value = 0;
    for (int i = at; i < at + 4; i++) {
      int digit = i < limit ? Character.digit(text[i], 16) : -1;
      if (digit < 0) {
        throw error(JsonError.BAD_HEX, escape);
      }
      value = (value << 4) | digit;
    }
    return value;
  }

  private static int utf8(int codePoint, byte[] into, int at) {
    int next = at;
    if (codePoint < 0x80) {
      into[next++] = (byte) codePoint;
    } else if (codePoint < 0x800) {
      into[next++] = (byte) (0xC0 | (codePoint >> 6));
      into[next++] = (byte) (0x80 | (codePoint & 0x3F));
    } else if (codePoint < 0x10000) {
      into[next++] = (byte) (0xE0 | (codePoint >> 12));
      into[next++] = (byte) (0x80 | ((codePoint >> 6) & 0x3F));
      into[next++] = (byte) (0x80 | (codePoint & 0x3F));
    } else {
      into[next++] = (byte) (0xF0 | (codePoint >> 18));
      into[next++] = (byte) (0x80 | ((codePoint >> 12) & 0x3F));
      into[next++] = (byte) (0x80 | ((codePoint >> 6) & 0x3F));
      into[next++] = (byte) (0x80 | (codePoint & 0x3F));
    }
    return next;
  }

  private JsonException error(JsonError error, int at) {
    return new JsonException(error, at - origin);
  }
}
