package dev.sluice.protocol.openai.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.inference.InferenceException;
import dev.sluice.testing.AccessRow;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OpenAiPathTest {
  /** Paths of responses, encoders and tokenizers, which have handlers of their own. */
  private static final Set<String> OTHERS =
      Stream.of("/responses", "/embeddings", "/rerank", "/tokenize", "/detokenize")
          .map(OpenAiPath.PREFIX::concat)
          .collect(Collectors.toSet());

  @Test
  void everyResourceHasARowOfTheAccessMatrix() {
    Set<OpenAiPath.Resource> missing = EnumSet.allOf(OpenAiPath.Resource.class);
    for (AccessRow row : AccessRow.HTTP) {
      if (row.path().startsWith(OpenAiPath.PREFIX + "/") && !OTHERS.contains(row.path())) {
        OpenAiPath.Resource resource = OpenAiPath.of(row.path()).resource();
        assertThat(row.operation()).as(row.path()).isEqualTo(resource.operation());
        missing.remove(resource);
      }
    }
    assertThat(missing).isEmpty();
  }

  @Test
  void namesOfModelsArePercentDecoded() {
    assertThat(OpenAiPath.of("/openai/v1/models/a%20b").model()).isEqualTo("a b");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/openai/v1",
        "/openai/v1/",
        "/openai/v1/models/",
        "/openai/v1/models/a/b",
        "/openai/v1/completions/",
        "/v1/completions/a"
      })
  void nothingElseIsThere(String path) {
    assertThatThrownBy(() -> OpenAiPath.of(path)).isInstanceOf(InferenceException.class);
  }
}
