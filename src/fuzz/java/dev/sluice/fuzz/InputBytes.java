package dev.sluice.fuzz;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * An input that is taken apart: choices from its first bytes, the rest as data. An empty input has
 * zeros. Kept inputs stay readable: a choice is the digit or letter in front.
 */
public final class InputBytes {
  private final byte[] input;
  private int at;

  public InputBytes(byte[] input) {
    this.input = input;
  }

  /** Returns a number below a bound, from one byte: {@code 0} to {@code 9} are themselves. */
  public int below(int bound) {
    int next = at < input.length ? input[at++] & 0xFF : '0';
    return Math.floorMod(next - '0', bound);
  }

  /** Returns one of some things. */
  public <T> T one(List<T> of) {
    return of.get(below(of.size()));
  }

  /** Returns one of some texts. */
  public String one(String... of) {
    return one(List.of(of));
  }

  /** Returns the bytes up to the next line feed, which is taken, as Latin-1. */
  public String line() {
    int from = at;
    while (at < input.length && input[at] != '\n') {
      at++;
    }
    return new String(input, from, at++ - from, StandardCharsets.ISO_8859_1);
  }

  /** Returns all that is left. */
  public byte[] rest() {
    int from = Math.min(at, input.length);
    at = input.length;
    return Arrays.copyOfRange(input, from, input.length);
  }

  /** Returns all that is left as text; bytes that are no UTF-8 become U+FFFD. */
  public String text() {
    return new String(rest(), StandardCharsets.UTF_8);
  }

  /**
   * Returns all that is left, cut into pieces of sizes that the bytes of the input itself choose.
   */
  public List<byte[]> pieces() {
    byte[] bytes = rest();
    List<byte[]> pieces = new ArrayList<>();
    int from = 0;
    for (int i = 0; from < bytes.length; i++) {
      int length = 1 + (bytes[i % bytes.length] * 31 + i & 0x1F);
      pieces.add(Arrays.copyOfRange(bytes, from, Math.min(bytes.length, from + length)));
      from += length;
    }
    return pieces;
  }
}
