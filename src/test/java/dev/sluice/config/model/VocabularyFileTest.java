package dev.sluice.config.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.binding.ConfigException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VocabularyFileTest {
  @TempDir private Path folder;

  private Path file(String json) throws IOException {
    return Files.writeString(folder.resolve("vocabulary.json"), json);
  }

  @Test
  void aListOfTextsIsAVocabulary() throws IOException {
    assertThat(VocabularyFile.read(file("[\"a\", \"\\n\", \"é\"]")))
        .containsExactly("a", "\n", "é");
  }

  @Test
  void anythingElseIsRefused() throws IOException {
    Path object = file("{\"a\": 0}");
    assertThatThrownBy(() -> VocabularyFile.read(object))
        .isInstanceOf(ConfigException.class)
        .hasMessage(object + " is no JSON list of texts");
    Path mixed = file("[\"a\", 1]");
    assertThatThrownBy(() -> VocabularyFile.read(mixed))
        .hasMessage(mixed + ": entry 1 is 1; wanted a text");
  }

  @Test
  void aFileThatIsNotThereIsNamed() {
    Path missing = folder.resolve("none.json");
    assertThatThrownBy(() -> VocabularyFile.read(missing))
        .hasMessageStartingWith(missing + " is not there");
  }
}
