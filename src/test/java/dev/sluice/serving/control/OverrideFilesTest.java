package dev.sluice.serving.control;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.inference.InferenceException;
import java.util.Set;
import org.junit.jupiter.api.Test;

class OverrideFilesTest {
  @Test
  void aNameThatNoFileOfThisSystemCanHaveIsRefusedAsTheCallersFault() {
    assertThatThrownBy(() -> OverrideFiles.check(Set.of("1/\uD800.onnx"), false))
        .isInstanceOf(InferenceException.class)
        .hasMessageContaining("cannot be one of this system");
  }
}
