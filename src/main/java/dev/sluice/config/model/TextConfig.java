package dev.sluice.config.model;

import dev.sluice.config.binding.Section;
import dev.sluice.config.binding.Setting;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Text in place of the numbers that a step function chooses among.
 *
 * @param vocabulary JSON list of texts in the model's folder: the first one stands for token 0, the
 *     next one for 1
 * @param tokenizer Hugging Face's {@code tokenizer.json} in the model's folder, in place of a
 *     vocabulary; empty: there is none
 * @param as name of the text, as an input and as an output
 * @param unknown text of the vocabulary that stands for text that is not in it; empty: such text is
 *     refused
 * @param maxLength longest prompt, in characters
 * @param context most tokens that a prompt and its answer have together; 0: not known
 * @param specialTokens whether special tokens of the tokenizer that a prompt spells are those; else
 *     they are text
 */
public record TextConfig(
    Path vocabulary,
    Optional<Path> tokenizer,
    String as,
    Optional<String> unknown,
    int maxLength,
    int context,
    boolean specialTokens) {
  private static final int MOST = 1 << 24;

  static TextConfig read(Section text) {
    Optional<String> tokenizer = text.text("tokenizer");
    for (String key : List.of("vocabulary", "unknown")) {
      if (tokenizer.isPresent() && text.value(key).isPresent()) {
        throw text.error(key, "means nothing beside tokenizer");
      }
    }
    return new TextConfig(
        Path.of(text.text("vocabulary", "vocabulary.json")),
        tokenizer.map(Path::of),
        text.text("as", "text"),
        text.single("unknown").map(Setting::text),
        text.number("max_length", 1 << 16, 1, MOST),
        text.number("context", 0, 0, MOST),
        text.flag("special_tokens", false));
  }

  /** Returns the same for a model whose files are in a folder. */
  TextConfig in(Path folder) {
    return new TextConfig(
        ModelFiles.within(folder, "stream.text.vocabulary", vocabulary.toString()),
        tokenizer.map(file -> ModelFiles.within(folder, "stream.text.tokenizer", file.toString())),
        as,
        unknown,
        maxLength,
        context,
        specialTokens);
  }
}
