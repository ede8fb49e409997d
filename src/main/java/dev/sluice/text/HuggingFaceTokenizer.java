package dev.sluice.text;

import ai.djl.huggingface.tokenizers.jni.TokenizersLibrary;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A tokenizer of Hugging Face's library, read from a {@link TokenizerFile}. It pads nothing: that
 * is the server's to decide, as is whether long texts are cut.
 *
 * <p>Special tokens that a text has the letters of are text, unless they are asked for: there is a
 * second tokenizer that does not know them. What the file puts around every prompt stays.
 *
 * <p>Memory: the library's, freed when nothing refers to this any more, so that a stream may
 * outlive its model's settings. Any thread.
 */
public final class HuggingFaceTokenizer implements TokenCodec {
  private static final Cleaner CLEANER = Cleaner.create();

  private final TokenizersLibrary library;
  private final long whole;
  private final long plain;
  private final Optional<TokenBytes> bytes;
  private final TokenBytes names;
  private final long size;

  private HuggingFaceTokenizer(TokenizersLibrary library, long whole, long plain, JsonNode json) {
    this.library = library;
    this.whole = whole;
    this.plain = plain;
    this.bytes = TokenizerVocabulary.bytes(json);
    this.names = TokenizerVocabulary.names(json);
    this.size = TokenizerVocabulary.size(json);
    CLEANER.register(this, () -> free(library, whole, plain));
  }

  private static void free(TokenizersLibrary library, long whole, long plain) {
    library.deleteTokenizer(whole);
    if (plain != whole) {
      library.deleteTokenizer(plain);
    }
  }

  /**
   * Reads a tokenizer that cuts no text. Blocks.
   *
   * @param special whether a text's special tokens are those, and no text
   * @throws InferenceException with FAILED_PRECONDITION if the library is missing, or with
   *     INVALID_ARGUMENT if the file is no tokenizer
   */
  public static HuggingFaceTokenizer read(Path file, boolean special) {
    return TokenizerFile.read(file).open(special, 0);
  }

  /**
   * Opens a tokenizer.
   *
   * @param file where it was read, for texts
   * @param plain the same without special tokens, or the same object
   */
  @SuppressWarnings("ReferenceEquality")
  static HuggingFaceTokenizer open(Path file, ObjectNode json, ObjectNode plain) {
    new TokenizerChecks(file).require(json);
    TokenizersLibrary library = TokenizerLibrary.functions();
    long whole = open(library, json, file);
    if (json == plain) {
      return new HuggingFaceTokenizer(library, whole, whole, json);
    }
    try {
      return new HuggingFaceTokenizer(library, whole, open(library, plain, file), json);
    } catch (InferenceException e) {
      library.deleteTokenizer(whole);
      throw e;
    }
  }

  private static long open(TokenizersLibrary library, ObjectNode json, Path file) {
    try {
      return library.createTokenizerFromString(json.toString());
    } catch (RuntimeException e) {
      throw new InferenceException(
          ErrorCode.INVALID_ARGUMENT, file + " is no tokenizer: " + e.getMessage());
    }
  }

  @Override
  public long[] encode(String text, boolean around) {
    return sequence(plain, text, null, around).ids();
  }

  /**
   * Returns the tokens of a text.
   *
   * @param special whether special tokens that it spells are those
   * @param around whether those come with it that the model wants around a prompt
   * @throws InferenceException with INVALID_ARGUMENT if a part of it cannot be said in tokens
   */
  long[] encode(String text, boolean special, boolean around) {
    return sequence(special ? whole : plain, text, null, around).ids();
  }

  /**
   * Returns the tokens of a text, or of a pair of texts, with those that the model wants around.
   *
   * @param second of a pair; null if there is none
   * @throws InferenceException with INVALID_ARGUMENT if it cannot be said in tokens
   */
  public TokenSequence sequence(String text, @Nullable String second) {
    return sequence(plain, text, second, true);
  }

  private TokenSequence sequence(
      long tokenizer, String text, @Nullable String second, boolean around) {
    long encoding;
    try {
      encoding =
          second == null
              ? library.encode(tokenizer, text, around)
              : library.encodeDual(tokenizer, text, second, around);
    } catch (RuntimeException e) {
      throw InferenceException.invalid("the text cannot be tokenized: " + e.getMessage());
    }
    try {
      return new TokenSequence(library.getTokenIds(encoding), library.getTypeIds(encoding));
    } finally {
      library.deleteEncoding(encoding);
      Reference.reachabilityFence(this);
    }
  }

  @Override
  public String decode(long[] tokens) {
    return decode(tokens, true);
  }

  @Override
  public String spell(long[] tokens) {
    return decode(tokens, false);
  }

  private String decode(long[] tokens, boolean withoutSpecial) {
    try {
      return tokens.length == 0 ? "" : library.decode(whole, tokens, withoutSpecial);
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  @Override
  public String name(long token) {
    return names.shown(Math.toIntExact(token));
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public Optional<TokenBytes> bytes() {
    return bytes;
  }
}
