package dev.sluice.text;

import ai.djl.huggingface.tokenizers.jni.TokenizersLibrary;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import java.io.IOException;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A tokenizer of Hugging Face's library, read from {@code tokenizer.json}. What the file says of
 * truncation and padding is left out: both are the server's to decide.
 *
 * <p>Special tokens that a text has the letters of are text, unless they are asked for: there is a
 * second tokenizer that does not know them. What the file puts around every prompt stays.
 *
 * <p>Memory: the library's, freed when nothing refers to this any more, so that a stream may
 * outlive its model's settings. Any thread.
 */
public final class HuggingFaceTokenizer implements TokenCodec {
  private static final long LARGEST = 256L * 1024 * 1024;
  private static final JsonMapper JSON = new JsonMapper();
  private static final Cleaner CLEANER = Cleaner.create();

  private final TokenizersLibrary library;
  private final long whole;
  private final long plain;
  private final Optional<TokenBytes> bytes;

  private HuggingFaceTokenizer(
      TokenizersLibrary library, long whole, long plain, Optional<TokenBytes> bytes) {
    this.library = library;
    this.whole = whole;
    this.plain = plain;
    this.bytes = bytes;
    CLEANER.register(this, () -> free(library, whole, plain));
  }

  private static void free(TokenizersLibrary library, long whole, long plain) {
    library.deleteTokenizer(whole);
    if (plain != whole) {
      library.deleteTokenizer(plain);
    }
  }

  /**
   * Reads a tokenizer. Blocks.
   *
   * @param special whether a text's special tokens are those, and no text
   * @throws InferenceException with FAILED_PRECONDITION if the library is missing, or with
   *     INVALID_ARGUMENT if the file is no tokenizer
   */
  public static HuggingFaceTokenizer read(Path file, boolean special) {
    TokenizersLibrary library = TokenizerLibrary.functions();
    ObjectNode json = json(file);
    Optional<TokenBytes> bytes = TokenizerFile.bytes(json);
    json.putNull("truncation").putNull("padding");
    long whole = open(library, json, file);
    if (special || !removeSpecialTokens(json)) {
      return new HuggingFaceTokenizer(library, whole, whole, bytes);
    }
    try {
      return new HuggingFaceTokenizer(library, whole, open(library, json, file), bytes);
    } catch (InferenceException e) {
      library.deleteTokenizer(whole);
      throw e;
    }
  }

  private static ObjectNode json(Path file) {
    try {
      if (Files.size(file) > LARGEST) {
        throw invalid(file, "is larger than " + LARGEST + " bytes");
      }
      JsonNode json = JSON.readTree(Files.readAllBytes(file));
      if (json instanceof ObjectNode object) {
        return object;
      }
      throw invalid(file, "is no JSON object");
    } catch (IOException e) {
      throw invalid(file, "cannot be read: " + e.getMessage());
    }
  }

  private static InferenceException invalid(Path file, String what) {
    return new InferenceException(ErrorCode.INVALID_ARGUMENT, file + " " + what);
  }

  /** Returns whether there was any. */
  private static boolean removeSpecialTokens(ObjectNode json) {
    if (!(json.get("added_tokens") instanceof ArrayNode tokens)) {
      return false;
    }
    List<JsonNode> others = new ArrayList<>();
    tokens.forEach(token -> {
      if (!token.path("special").asBoolean()) {
        others.add(token);
      }
    });
    boolean any = others.size() < tokens.size();
    tokens.removeAll();
    tokens.addAll(others);
    return any;
  }

  private static long open(TokenizersLibrary library, ObjectNode json, Path file) {
    try {
      return library.createTokenizerFromString(json.toString());
    } catch (RuntimeException e) {
      throw invalid(file, "is no tokenizer: " + e.getMessage());
    }
  }

  @Override
  public long[] encode(String text) {
    return encode(plain, text);
  }

  private long[] encode(long tokenizer, String text) {
    long encoding;
    try {
      encoding = library.encode(tokenizer, text, true);
    } catch (RuntimeException e) {
      throw InferenceException.invalid("the text cannot be tokenized: " + e.getMessage());
    }
    try {
      return library.getTokenIds(encoding);
    } finally {
      library.deleteEncoding(encoding);
      Reference.reachabilityFence(this);
    }
  }

  @Override
  public String decode(long[] tokens) {
    try {
      return tokens.length == 0 ? "" : library.decode(whole, tokens, true);
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  @Override
  public Optional<TokenBytes> bytes() {
    return bytes;
  }
}
