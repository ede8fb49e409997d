package dev.sluice.protocol.codec;

import dev.sluice.transport.Body;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Walks through JSON text in its bytes, without a tree, strings or boxes in between.
 *
 * <pre>{@code
 * cursor.beginObject();
 * while (cursor.nextKey()) {
 *   if (cursor.keyIs("data")) {
 *     cursor.beginArray();
 *     while (cursor.nextElement()) {
 *       read(cursor.number());
 *     }
 *   } else {
 *     cursor.skipValue();
 *   }
 * }
 * }</pre>
 *
 * <p>Accepts RFC 8259 and, as values, the bare words {@code NaN}, {@code Infinity}, {@code Inf} and
 * their negatives. Everything else is a {@link JsonException} with the byte offset at which it was
 * found: the words and offsets are those of RapidJSON, which TensorFlow Serving and Triton answer
 * with. Invalid UTF-8 inside strings is left alone.
 *
 * <p>Between calls the cursor stands before a value, or after one. {@link #position} and {@link
 * #seek} make it possible to come back to a value that was skipped.
 */
public final class JsonCursor {
  /** Largest depth of nested arrays and objects. */
  public static final int MAX_DEPTH = 100;

  /** The kind of a value, by its first byte. */
  public enum Kind {
    OBJECT,
    ARRAY,
    STRING,
    NUMBER,
    TRUE,
    FALSE,
    NULL
  }

  private final byte[] bytes;
  private final int start;
  private final int end;
  private final JsonNumber number;
  private final JsonString string;
  private @Nullable FastNumberParser fastParser;
  private int at;

  /** True until the innermost open array or object has given its first value. */
  private boolean fresh;

  private int keyStart;
  private int keyEnd;

  public JsonCursor(Body body) {
    this.bytes = body.bytes();
    this.start = body.offset();
    this.end = body.end();
    this.number = new JsonNumber(bytes, start, end);
    this.string = new JsonString(bytes, start, end);
    this.at = start;
    skipByteOrderMark();
  }

  private void skipByteOrderMark() {
    if (end - at >= 3
        && bytes[at] == (byte) 0xEF
        && bytes[at + 1] == (byte) 0xBB
        && bytes[at + 2] == (byte) 0xBF) {
      at += 3;
    }
  }

  /**
   * Returns the position of the cursor, for {@link #seek} and messages: bytes from the beginning of
   * the text.
   */
  public int position() {
    return at - start;
  }

  /** Goes back to before a value whose {@link #position} was noted when it was reached. */
  public void seek(int position) {
    at = start + position;
    fresh = false;
  }

  /** Returns the text between two positions. */
  public String text(int from, int to) {
    return new String(bytes, start + from, to - from, StandardCharsets.UTF_8);
  }

  /**
   * Returns how many bytes of text are left: no value that follows can have more elements than
   * that.
   */
  public int remaining() {
    return end - at;
  }

  /** Returns the kind of the next value. Does not check more than its first byte. */
  public Kind peek() {
    skipSpace();
    if (at == end) {
      throw error(isBlank() ? JsonError.EMPTY : JsonError.INVALID_VALUE);
    }
    return switch (bytes[at]) {
      case '{' -> Kind.OBJECT;
      case '[' -> Kind.ARRAY;
      case '"' -> Kind.STRING;
      case 't' -> Kind.TRUE;
      case 'f' -> Kind.FALSE;
      case 'n' -> Kind.NULL;
      case '-', 'N', 'I', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9' -> Kind.NUMBER;
      default -> throw error(JsonError.INVALID_VALUE);
    };
  }

  private boolean isBlank() {
    for (int i = start; i < end; i++) {
      if (!isSpace(bytes[i])) {
        return false;
      }
    }
    return true;
  }

  /** Steps into an object. The next value must be one: see {@link #peek}. */
  public void beginObject() {
    skipSpace();
    at++;
    fresh = true;
  }

  /** Steps to the next member and past its name; false, and out of the object, after the last. */
  public boolean nextKey() {
    if (!step((byte) '}', JsonError.MISSING_COMMA_OR_BRACE)) {
      return false;
    }
    if (at == end || bytes[at] != '"') {
      throw error(JsonError.MISSING_NAME);
    }
    keyStart = at;
    at = string.skip(at);
    keyEnd = at;
    skipSpace();
    if (at == end || bytes[at] != ':') {
      throw error(JsonError.MISSING_COLON);
    }
    at++;
    skipSpace();
    return true;
  }

  /** Returns whether the current member has this (plain ASCII) name. */
  public boolean keyIs(String name) {
    int length = keyEnd - keyStart - 2;
    if (length != name.length()) {
      return length > name.length() && hasEscapes(keyStart, keyEnd) && key().equals(name);
    }
    for (int i = 0; i < length; i++) {
      if (bytes[keyStart + 1 + i] != name.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  private boolean hasEscapes(int from, int to) {
    for (int i = from; i < to; i++) {
      if (bytes[i] == '\\') {
        return true;
      }
    }
    return false;
  }

  /** Returns the current member's name. Valid until the next one. */
  public String key() {
    return string.read(keyStart).toText();
  }

  /**
   * Returns the same as bytes, left in the object that is returned until the next string is read.
   */
  public JsonString keyBytes() {
    return string.read(keyStart);
  }

  /** Steps into an array. The next value must be one: see {@link #peek}. */
  public void beginArray() {
    skipSpace();
    at++;
    fresh = true;
  }

  /** Steps to the next element; false, and out of the array, after the last. */
  public boolean nextElement() {
    return step((byte) ']', JsonError.MISSING_COMMA_OR_BRACKET);
  }

  private boolean step(byte closing, JsonError missing) {
    skipSpace();
    if (at < end && bytes[at] == closing) {
      at++;
      fresh = false;
      return false;
    }
    if (fresh) {
      fresh = false;
      return true;
    }
    if (at == end || bytes[at] != ',') {
      throw error(missing);
    }
    at++;
    skipSpace();
    return true;
  }

  /** Reads a number, left in the object that is returned until the next one is read. */
  public JsonNumber number() {
    skipSpace();
    at = number.read(at);
    return number;
  }

  /**
   * Reads numbers in a row, as long as they are written plainly, into {@link #plainValues}.
   *
   * @param most how many at most; {@link FastNumberParser#RUN} in any case
   * @param behindComma whether the cursor stands behind an element, not before the first one
   * @param asFloats see {@link FastNumberParser#read}
   * @return how many there were; the cursor stands behind the last of them, or where it was
   */
  int plainNumbers(long most, boolean behindComma, boolean asFloats) {
    FastNumberParser numbers = fastParser();
    int from = behindComma ? numbers.behindComma(at) : at;
    int count = numbers.read(from, most, asFloats);
    if (count > 0) {
      at = numbers.last();
    }
    return count;
  }

  /**
   * Returns the numbers that {@link #plainNumbers} has read, from index 0; valid until it reads
   * again.
   */
  double[] plainValues() {
    return fastParser().values();
  }

  /**
   * Reads integers in a row, as long as they are written plainly and lie in a range, into {@link
   * #plainIntegerValues}.
   *
   * @param most how many at most; {@link FastNumberParser#RUN} in any case
   * @param behindComma whether the cursor stands behind an element, not before the first one
   * @return how many there were; the cursor stands behind the last of them, or where it was
   */
  int plainIntegers(long most, boolean behindComma, long lowest, long highest) {
    FastNumberParser numbers = fastParser();
    int from = behindComma ? numbers.behindComma(at) : at;
    int count = numbers.readIntegers(from, most, lowest, highest);
    if (count > 0) {
      at = numbers.last();
    }
    return count;
  }

  /**
   * Returns the integers that {@link #plainIntegers} has read, from index 0; valid until it reads
   * again.
   */
  long[] plainIntegerValues() {
    return fastParser().integers();
  }

  /** Made once it is needed: many texts have no long lists. */
  private FastNumberParser fastParser() {
    if (fastParser == null) {
      fastParser = new FastNumberParser(bytes, end);
    }
    return fastParser;
  }

  /** Reads a string, left in the object that is returned until the next one is read. */
  public JsonString string() {
    skipSpace();
    JsonString read = string.read(at);
    at = read.end();
    return read;
  }

  /** Reads {@code true} or {@code false}. The next value must be one of them: see {@link #peek}. */
  public boolean bool() {
    skipSpace();
    boolean value = bytes[at] == 't';
    word(value ? "true" : "false");
    return value;
  }

  /** Reads {@code null}. */
  public void nothing() {
    skipSpace();
    word("null");
  }

  private void word(String word) {
    for (int i = 0; i < word.length(); i++) {
      if (at == end || bytes[at] != word.charAt(i)) {
        throw error(JsonError.INVALID_VALUE);
      }
      at++;
    }
  }

  /** Passes over the next value, whatever it is, and checks that it is JSON. */
  public void skipValue() {
    skipValue(0);
  }

  private void skipValue(int depth) {
    switch (peek()) {
      case OBJECT -> skipObject(deeper(depth));
      case ARRAY -> skipArray(deeper(depth));
      case STRING -> at = string.skip(at);
      case NUMBER -> at = number.skip(at);
      case TRUE -> word("true");
      case FALSE -> word("false");
      case NULL -> word("null");
    }
  }

  private int deeper(int depth) {
    if (depth == MAX_DEPTH) {
      throw error(JsonError.TOO_DEEP);
    }
    return depth + 1;
  }

  private void skipObject(int depth) {
    beginObject();
    while (nextKey()) {
      skipValue(depth);
    }
  }

  private void skipArray(int depth) {
    beginArray();
    while (nextElement()) {
      skipValue(depth);
    }
  }

  /** Checks that nothing but white space is left. */
  public void finish() {
    skipSpace();
    if (at != end) {
      throw error(JsonError.ROOT_NOT_SINGULAR);
    }
  }

  private void skipSpace() {
    while (at < end && isSpace(bytes[at])) {
      at++;
    }
  }

  private static boolean isSpace(byte c) {
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
  }

  private JsonException error(JsonError error) {
    return new JsonException(error, position());
  }
}
