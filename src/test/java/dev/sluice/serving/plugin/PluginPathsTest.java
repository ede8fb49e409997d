package dev.sluice.serving.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import org.junit.jupiter.api.Test;

class PluginPathsTest {
  private final PluginPaths paths = new PluginPaths();

  @Test
  void aPathIsOfTheModelThatClaimsIt() {
    paths.claim("/words", "words");
    assertThat(paths.modelAt("/words")).contains("words");
    assertThat(paths.modelAt("/word")).isEmpty();
  }

  @Test
  void aPathStaysUntilTheLastVersionThatClaimsItHasLeft() {
    paths.claim("/words", "words");
    paths.claim("/words", "words");
    paths.leave("/words");
    assertThat(paths.modelAt("/words")).contains("words");
    paths.leave("/words");
    assertThat(paths.modelAt("/words")).isEmpty();
  }

  @Test
  void anotherModelIsRefusedAndTheFirstGoesOnAnswering() {
    paths.claim("/words", "words");
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> paths.claim("/words", "other"))
        .withMessage("the path is answered by model 'words' already (setting java.path)")
        .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.FAILED_PRECONDITION));
    assertThat(paths.modelAt("/words")).contains("words");
  }

  @Test
  void aPathThatWasLeftIsFreeForAnotherModel() {
    paths.claim("/words", "words");
    paths.leave("/words");
    paths.claim("/words", "other");
    assertThat(paths.modelAt("/words")).contains("other");
  }
}
