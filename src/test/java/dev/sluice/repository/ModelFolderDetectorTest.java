package dev.sluice.repository;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.model.ListedModel;
import dev.sluice.config.server.ControlConfig;
import dev.sluice.config.server.ControlConfig.Mode;
import dev.sluice.config.server.DesiredModels;
import dev.sluice.config.server.RepositoryConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A folder that someone else fills, with one model or with several. */
class ModelFolderDetectorTest {
  private final TestRepository test;
  private final ModelFiles files;

  ModelFolderDetectorTest(@TempDir Path root) {
    RepositoryConfig config =
        RepositoryConfig.of(
            DesiredModels.only(Map.of("named", ListedModel.mounted(root.resolve("models")))),
            Duration.ofSeconds(1));
    test = new TestRepository(root, config);
    files = test.files;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"model.onnx", "net.onnx", "saved_model.pb", "3/model.onnx", "2/saved_model.pb"})
  void filesOrVersionsInItAreOneModel(String file) {
    files.write("models/" + file, "");
    files.write("models/variables/variables.index", "");
    test.settle();
    assertThat(test.repository.models()).containsExactly("named");
    assertThat(test.repository.allReady()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"config.pbtxt", "model.yml"})
  void settingsInItAreThoseOfOneModel(String file) {
    files.write("models/" + file, "");
    files.folder("models/variables");
    test.settle();
    assertThat(test.repository.models()).containsExactly("named");
  }

  @Test
  void foldersOfOtherNamesInItAreModels() {
    files.versions("models/digits/1", "models/letters/7");
    files.write("models/notes.txt", "");
    test.settle();
    assertThat(test.repository.models()).containsExactly("digits", "letters");
    assertThat(test.repository.allReady()).isTrue();
  }

  @Test
  void itMayBeFilledWithModelsLater() {
    test.settle();
    assertThat(test.repository.models()).containsExactly("named");
    assertThat(test.repository.allReady()).isFalse();
    files.folder("models");
    test.settle();
    assertThat(test.repository.allReady()).isFalse();
    files.versions("models/digits/1", "models/letters/7");
    test.settle();
    assertThat(test.repository.models()).containsExactly("digits", "letters");
    assertThat(test.latestNumber("letters")).isEqualTo(7);
    assertThat(test.repository.allReady()).isTrue();
  }

  @Test
  void oneModelWhoseFoldersComeBeforeItsFileIsTakenForModelsNoLonger() {
    files.write("models/variables/variables.index", "");
    test.settle();
    files.write("models/saved_model.pb", "");
    test.settle();
    assertThat(test.latestNumber("named")).isEqualTo(1);
    assertThat(test.repository.allReady()).isTrue();
  }

  @Test
  void modelsStayWhileTheirFolderIsOutOfSight() {
    files.versions("models/digits/1");
    test.settle();
    files.move("models", "elsewhere");
    test.settle();
    assertThat(test.latestNumber("digits")).isEqualTo(1);
    files.move("elsewhere", "models");
    test.settle();
    assertThat(test.repository.models()).containsExactly("digits");
  }

  @Test
  void modelsInItCanBeAskedForByName(@TempDir Path root) {
    var explicit =
        new TestRepository(
            root,
            RepositoryConfig.of(
                    DesiredModels.only(Map.of("named", ListedModel.mounted(root))),
                    Duration.ofSeconds(1))
                .withControl(new ControlConfig(Mode.EXPLICIT, Set.of("digits"), true)));
    explicit.files.versions("digits/1", "letters/7");
    explicit.settle();
    assertThat(explicit.repository.models()).containsExactly("digits");
    explicit.repository.load("letters", found -> found.orElseThrow(), _ -> {});
    explicit.workers.runAll();
    explicit.settle();
    assertThat(explicit.latestNumber("letters")).isEqualTo(7);
  }
}
