package dev.sluice.config.model;

import dev.sluice.config.binding.Section;
import dev.sluice.config.binding.Setting;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Text in place of the numbers that a step function chooses among.
 *
 * @param vocabulary JSON list of texts in the model's folder: the first one stands for token 0, the
 *     next one for 1
 * @param as name of the text, as an input and as an output
 * @param unknown text of the vocabulary that stands for text that is not in it; empty: such text is
 *     refused
 * @param maxLength longest prompt, in characters
 */
public record TextConfig(Path vocabulary, String as, Optional<String> unknown, int maxLength) {
  private static final int MOST = 1 << 24;

  static TextConfig read(Section text) {
    return new TextConfig(
        Path.of(text.text("vocabulary", "vocabulary.json")),
        text.text("as", "text"),
        text.single("unknown").map(Setting::text),
        text.number("max_length", 1 << 16, 1, MOST));
  }

  /** Returns the same for a model whose files are in a folder. */
  TextConfig in(Path folder) {
    return new TextConfig(
        ModelFiles.within(folder, "stream.text.vocabulary", vocabulary.toString()),
        as,
        unknown,
        maxLength);
  }
}
