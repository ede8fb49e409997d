package dev.sluice.runtime.tensorflow;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.model.TensorflowConfig;
import dev.sluice.inference.InferenceException;
import dev.sluice.testing.TestModels;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeclaredVariablesTest {
  @TempDir Path temp;

  private static TensorflowSession open(Path folder) {
    TfLibrary.load();
    return TensorflowSession.open(folder, TensorflowConfig.DEFAULT, new RunTotals());
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "half_plus_two/00000123, variables/variables.index",
    "half_plus_two_tf2/00000123, variables/variables.index",
    "half_plus_two_tf2/00000123, variables/variables.data-00000-of-00001"
  })
  void savedModelWithoutTheFilesOfItsVariablesIsRefused(String model, String file)
      throws IOException {
    Path folder = temp.resolve("copy");
    TestModels.copy(Path.of("src/test/models/tfs", model), folder);
    open(folder).close();
    Files.delete(folder.resolve(file));
    assertThatThrownBy(() -> open(folder))
        .isInstanceOf(InferenceException.class)
        .hasMessageContaining(file.substring(0, 25));
  }
}
