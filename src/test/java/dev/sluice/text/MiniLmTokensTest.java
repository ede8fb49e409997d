package dev.sluice.text;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testing.MiniLm;
import dev.sluice.testing.MiniLm.Embedded;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The tokenizer of a real model, which cuts long texts. */
class MiniLmTokensTest {
  @Test
  void idsAreThoseOfTheLibraryInPython(@TempDir Path models) throws IOException {
    TokenizerFile file =
        TokenizerFile.read(MiniLm.writeTo(models, "minilm").resolve("tokenizer.json"));
    HuggingFaceTokenizer tokenizer = file.open(false, file.maxTokens());
    assertThat(MiniLm.embedded())
        .hasSizeGreaterThan(40)
        .allSatisfy((Embedded text) ->
            assertThat(tokenizer.sequence(text.text(), null).ids()).containsExactly(text.ids()));
  }
}
