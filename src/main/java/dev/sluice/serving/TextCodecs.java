package dev.sluice.serving;

import dev.sluice.config.model.TextConfig;
import dev.sluice.config.model.VocabularyFile;
import dev.sluice.inference.InferenceException;
import dev.sluice.text.ChatCodec;
import dev.sluice.text.ChatPrompts;
import dev.sluice.text.TokenCodec;
import dev.sluice.text.Vocabulary;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** Reads what encodes a model's text. Blocks: called while the model is loaded. */
final class TextCodecs {
  private static final Logger LOG = LoggerFactory.getLogger(TextCodecs.class);

  private TextCodecs() {}

  /**
   * Reads the codec that the settings name.
   *
   * @throws InferenceException if its file is not what they say
   */
  static TokenCodec read(TextConfig text) {
    return text.tokenizer()
        .<TokenCodec>map(file -> ChatCodec.read(file, text.specialTokens(), prompts(file)))
        .orElseGet(() -> new Vocabulary(VocabularyFile.read(text.vocabulary()), text.unknown()));
  }

  private static ChatPrompts prompts(Path tokenizer) {
    Path folder = tokenizer.toAbsolutePath().getParent();
    ChatPrompts prompts = ChatPrompts.read(folder == null ? tokenizer : folder);
    prompts
        .problem()
        .ifPresent(why ->
            LOG.atLevel(prompts.isBroken() ? Level.WARN : Level.INFO)
                .addKeyValue("tokenizer", tokenizer)
                .addKeyValue("reason", why)
                .log("the model holds no conversations: they are refused with 400"));
    prompts
        .toolProblem()
        .ifPresent(why ->
            LOG.atInfo()
                .addKeyValue("tokenizer", tokenizer)
                .addKeyValue("reason", why)
                .log("conversations without tools are refused with 400"));
    return prompts;
  }
}
