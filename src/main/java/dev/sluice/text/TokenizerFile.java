package dev.sluice.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.inference.InferenceException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Hugging Face's {@code tokenizer.json}: what it says of truncation and padding, and the tokenizer
 * in it. One thread at a time.
 */
public final class TokenizerFile {
  private final Path file;
  private final ObjectNode json;
  private final JsonNode truncation;
  private final JsonNode padding;

  private TokenizerFile(Path file, ObjectNode json) {
    this.file = file;
    this.json = json;
    this.truncation = json.path("truncation");
    this.padding = json.path("padding");
  }

  /**
   * Reads the file. Blocks.
   *
   * @throws InferenceException with INVALID_ARGUMENT if it is no such file
   */
  public static TokenizerFile read(Path file) {
    return new TokenizerFile(file, JsonFile.object(file));
  }

  /** Returns the most tokens that it leaves of a text; 0 if it says nothing of that. */
  public int maxTokens() {
    return Math.max(0, truncation.path("max_length").asInt(0));
  }

  /** Returns the token that texts are padded with; 0 if it says nothing of that. */
  public long padToken() {
    return padding.path("pad_id").asLong(0);
  }

  /** Returns the special tokens in it. */
  SpecialTokens specialTokens() {
    return new SpecialTokens(json);
  }

  /**
   * Opens the tokenizer in it, which pads nothing.
   *
   * @param special whether a text's special tokens are those, and no text
   * @param maxTokens tokens that longer texts are cut to, as the file says; 0: they are not
   * @throws InferenceException with FAILED_PRECONDITION if the library is missing, or with
   *     INVALID_ARGUMENT if there is no tokenizer in it
   */
  public HuggingFaceTokenizer open(boolean special, int maxTokens) {
    ObjectNode whole = json.deepCopy();
    whole.putNull("padding").putNull("truncation");
    if (maxTokens > 0) {
      truncate(whole.putObject("truncation"), maxTokens);
    }
    return HuggingFaceTokenizer.open(file, whole, special ? whole : withoutSpecialTokens(whole));
  }

  /** The file may say which end of a text is cut, and which of two texts. */
  private void truncate(ObjectNode to, int maxTokens) {
    to.put("direction", truncation.path("direction").asText("Right"))
        .put("strategy", truncation.path("strategy").asText("LongestFirst"))
        .put("max_length", maxTokens)
        .put("stride", 0);
  }

  /** Returns a copy without special tokens among the texts that are tokens; itself if none is. */
  private static ObjectNode withoutSpecialTokens(ObjectNode whole) {
    if (!(whole.get("added_tokens") instanceof ArrayNode tokens)) {
      return whole;
    }
    List<JsonNode> others = new ArrayList<>();
    tokens.forEach(token -> {
      if (!token.path("special").asBoolean()) {
        others.add(token);
      }
    });
    if (others.size() == tokens.size()) {
      return whole;
    }
    ObjectNode plain = whole.deepCopy();
    plain.putArray("added_tokens").addAll(others);
    return plain;
  }
}
