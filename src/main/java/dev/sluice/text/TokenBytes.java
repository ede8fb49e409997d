package dev.sluice.text;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HexFormat;

/**
 * The bytes that each token of a vocabulary adds to a text: often a part of a character only.
 * Immutable; any thread.
 */
public final class TokenBytes {
  /** What stands in front of the bytes of a token that is no text by itself. */
  private static final String NO_TEXT = "bytes:";

  private final byte[] bytes;

  /** By token, where its bytes end; they begin where those of the one before end. */
  private final int[] ends;

  private final BitSet special;

  private TokenBytes(byte[] bytes, int[] ends, BitSet special) {
    this.bytes = bytes;
    this.ends = ends;
    this.special = special;
  }

  /** Collects the bytes of tokens from 0 on. One thread. */
  static final class Builder {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final BitSet special = new BitSet();
    private int[] ends = {};
    private int size;

    /** Adds the next token. */
    Builder add(byte[] token) {
      if (size == ends.length) {
        ends = Arrays.copyOf(ends, Math.max(64, 2 * size));
      }
      bytes.writeBytes(token);
      ends[size++] = bytes.size();
      return this;
    }

    /** Adds the next token, which has a name but adds nothing to a text. */
    Builder addSpecial(String name) {
      special.set(size);
      return add(name.getBytes(StandardCharsets.UTF_8));
    }

    TokenBytes build() {
      return new TokenBytes(bytes.toByteArray(), Arrays.copyOf(ends, size), special);
    }
  }

  /** Returns the bytes of a vocabulary of texts, the first of which stands for token 0. */
  public static TokenBytes of(Iterable<String> texts) {
    var builder = new Builder();
    texts.forEach(text -> builder.add(text.getBytes(StandardCharsets.UTF_8)));
    return builder.build();
  }

  /** Returns the number of tokens. */
  public int size() {
    return ends.length;
  }

  /** Returns whether a token adds nothing to a text; its bytes are its name then. */
  public boolean isSpecial(int token) {
    return special.get(token);
  }

  /** Returns where the bytes of a token begin in those of all. */
  public int start(int token) {
    return token == 0 ? 0 : ends[token - 1];
  }

  /** Returns the number of bytes of a token. */
  public int length(int token) {
    return ends[token] - start(token);
  }

  /** Returns a copy of the bytes of a token. */
  public byte[] of(int token) {
    return Arrays.copyOfRange(bytes, start(token), ends[token]);
  }

  /** Returns a byte of those of all tokens, from 0 to 255. */
  public int at(int index) {
    return bytes[index] & 0xFF;
  }

  /**
   * Returns a token as it is shown: its text, or {@code bytes:} and {@code \x} with two digits for
   * each byte if it is a part of a character. Empty if there is no such token.
   */
  public String shown(int token) {
    if (token < 0 || token >= ends.length) {
      return "";
    }
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(of(token))).toString();
    } catch (CharacterCodingException _) {
      return NO_TEXT + "\\x" + HexFormat.ofDelimiter("\\x").formatHex(of(token));
    }
  }
}
