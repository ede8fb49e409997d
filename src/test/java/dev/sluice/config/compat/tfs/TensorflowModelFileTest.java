package dev.sluice.config.compat.tfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.binding.ConfigException;
import dev.sluice.config.model.VersionPolicyConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TensorflowModelFileTest {
  private final List<String> warnings = new ArrayList<>();

  @Test
  void everythingThatHasAMeaningIsRead() {
    List<TensorflowModel> models =
        read(
            """
            # two models
            model_config_list: {
              config { name: 'a', base_path: "/m/a"; model_platform: "tensorflow"
                model_version_policy { specific { versions: 1 versions: 42 } }
                version_labels { key: 'stable' value: 1 }
                version_labels: { key: "canary", value: 42 }
              }
              config: { name: "b" base_path: "/m/b" model_type: TENSORFLOW
                model_version_policy: { latest: { num_versions: 3 } } }
            }
            """);
    assertThat(models)
        .containsExactly(
            new TensorflowModel(
                "a",
                "/m/a",
                "tensorflow",
                "",
                Optional.of(new VersionPolicyConfig.Specific(Set.of(1L, 42L))),
                Map.of("stable", 1L, "canary", 42L),
                Optional.empty()),
            new TensorflowModel(
                "b",
                "/m/b",
                "",
                "TENSORFLOW",
                Optional.of(new VersionPolicyConfig.Latest(3)),
                Map.of(),
                Optional.empty()));
    assertThat(warnings).isEmpty();
  }

  @Test
  void policiesWithoutNumbers() {
    assertThat(policy("all {}")).contains(new VersionPolicyConfig.All());
    assertThat(policy("latest {}")).contains(new VersionPolicyConfig.Latest(1));
    assertThat(policy("latest { num_versions: 0 }")).contains(new VersionPolicyConfig.Latest(1));
    assertThat(policy("")).isEmpty();
  }

  @Test
  void whatHasNoMeaningHereIsNamedOnce() {
    read(
        """
        model_config_list {
          config { name: "a" logging_config { sampling_config { attributes: 1 } } colour: 3 }
          config { name: "b" colour: 4 }
        }
        """);
    assertThat(warnings)
        .containsExactly(
            "f: has no meaning here: model_config_list.config.colour,"
                + " model_config_list.config.logging_config.sampling_config.attributes");
  }

  @Test
  void anEmptyListIsNoModelsAndNoListIsNone() {
    assertThat(read("model_config_list {}")).isEmpty();
    assertThat(TensorflowModelFile.read("f", " # nothing", warnings::add)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "model_config_list {",
        "model_config_list { config { name: \"a }",
        "model_config_list { config: 3 }",
        "model_config_list { config { model_version_policy { latest { num_versions: -1 } } } }",
        "model_config_list { config { version_labels { key: 'a' value: 'b' } } }"
      })
  void whatIsNotInTheFormatIsRefused(String text) {
    assertThatThrownBy(() -> read(text))
        .isInstanceOf(ConfigException.class)
        .hasMessageStartingWith(
            "Error parsing text-format tensorflow.serving.ModelServerConfig: f: ");
  }

  private Optional<VersionPolicyConfig> policy(String policy) {
    return read("model_config_list { config { model_version_policy {" + policy + "} } }")
        .getFirst()
        .versionPolicy();
  }

  private List<TensorflowModel> read(String text) {
    return TensorflowModelFile.read("f", text, warnings::add).orElseThrow();
  }

  @Test
  void aLoggingConfigSaysWhereAndHowMuch() {
    List<TensorflowModel> models =
        read(
            """
            model_config_list { config {
              name: "a"
              logging_config {
                log_collector_config { type: "file" filename_prefix: "/logs/a" }
                sampling_config { sampling_rate: 0.25 }
              }
            } }
            """);
    assertThat(models.getFirst().logging())
        .contains(new TensorflowLogging("file", "/logs/a", 0.25));
    assertThat(warnings).isEmpty();
  }
}
