package dev.sluice.text;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import java.nio.file.Path;

/**
 * What a {@code tokenizer.json} must not say: its library is native code that takes it, and later
 * ends the whole process at some text. It knows the parts of the file by their members where it
 * does not know their type, so the members alone are looked at.
 *
 * @param file where it was read, for texts
 */
record TokenizerChecks(Path file) {
  /**
   * Looks at all that is known to do so.
   *
   * @throws InferenceException with INVALID_ARGUMENT, naming the part that is wrong
   */
  void require(JsonNode json) {
    requireTemplates(json.path("post_processor"));
    requireDecoders(json.path("decoder"));
    requirePieces(json.path("pre_tokenizer"));
    requireMerges(json.path("model"));
  }

  private void requireTemplates(JsonNode processor) {
    requireTemplate(processor, "single", false);
    requireTemplate(processor, "pair", true);
    processor.forEach(this::requireTemplates);
  }

  private void requireTemplate(JsonNode processor, String name, boolean pair) {
    for (JsonNode piece : processor.path(name)) {
      JsonNode token = piece.path("SpecialToken").path("id");
      if (token.isTextual() && !processor.path("special_tokens").has(token.asText())) {
        throw wrong(
            "its post_processor names '%s' in %s".formatted(token.asText(), name),
            "a token that special_tokens has");
      }
      if (!pair && piece.path("Sequence").path("id").asText().equals("B")) {
        throw wrong("its post_processor has a second text in single", "the first one, A");
      }
    }
  }

  private void requireDecoders(JsonNode decoder) {
    if (decoder.path("stop").asLong() > 0) {
      throw wrong(
          "its decoder strips " + decoder.path("stop") + " characters of the end of a token",
          "0: shorter tokens have not so many");
    }
    decoder.forEach(this::requireDecoders);
  }

  private void requirePieces(JsonNode splitter) {
    if (splitter.path("length").isNumber() && splitter.path("length").asLong() == 0) {
      throw wrong("its pre_tokenizer makes pieces of length 0", "1 or more");
    }
    splitter.forEach(this::requirePieces);
  }

  private void requireMerges(JsonNode model) {
    JsonNode joint = model.path("continuing_subword_prefix");
    if (!joint.isTextual()) {
      return;
    }
    String prefix = joint.asText();
    for (JsonNode merge : model.path("merges")) {
      String behind = merge.isArray() ? merge.path(1).asText() : behind(merge.asText());
      if (!behind.startsWith(prefix)) {
        throw wrong(
            "its model merges '" + behind + "'", "a token that begins with '" + prefix + "'");
      }
    }
  }

  private static String behind(String merge) {
    return merge.substring(merge.indexOf(' ') + 1);
  }

  private InferenceException wrong(String got, String wanted) {
    return new InferenceException(
        ErrorCode.INVALID_ARGUMENT, file + " is no tokenizer: " + got + "; wanted " + wanted);
  }
}
