package dev.sluice.config;

import java.nio.file.Path;
import java.util.Optional;

/**
 * Text in place of the numbers that a step function chooses among.
 *
 * @param vocabulary a JSON list of texts: the first stands for 0, the next for 1, and so on
 * @param as the name of the text, as an input and as an output
 * @param unknown which text of the vocabulary stands for what it lacks; empty: that is refused
 * @param most characters that a request may begin with
 */
public record TextConfig(Path vocabulary, String as, Optional<String> unknown, int most) {
  private static final int MOST = 1 << 24;

  static TextConfig read(Section text) {
    return new TextConfig(
        Path.of(text.text("vocabulary").orElse("vocabulary.json")),
        text.text("as").orElse("text"),
        text.single("unknown").map(Setting::text),
        text.number("max_length", 1 << 16, 1, MOST));
  }

  /** The same for a model whose files are in a folder. */
  TextConfig in(Path folder) {
    return new TextConfig(
        ModelFiles.within(folder, "stream.text.vocabulary", vocabulary.toString()),
        as,
        unknown,
        most);
  }
}
