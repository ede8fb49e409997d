package dev.sluice.serving;

import dev.sluice.config.model.TextConfig;
import dev.sluice.config.model.VocabularyFile;
import dev.sluice.inference.InferenceException;
import dev.sluice.scheduling.generator.Vocabulary;
import dev.sluice.text.HuggingFaceTokenizer;
import dev.sluice.text.TokenCodec;

/** Reads what encodes a model's text. Blocks: called while the model is loaded. */
final class TextCodecs {
  private TextCodecs() {}

  /**
   * Reads the codec that the settings name.
   *
   * @throws InferenceException if its file is not what they say
   */
  static TokenCodec read(TextConfig text) {
    return text.tokenizer().isPresent()
        ? HuggingFaceTokenizer.read(text.tokenizer().get(), text.specialTokens())
        : new Vocabulary(VocabularyFile.read(text.vocabulary()), text.unknown());
  }
}
