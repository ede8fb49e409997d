package dev.sluice.config.compat.huggingface;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.binding.ConfigException;
import dev.sluice.config.model.EncoderConfig.Activation;
import dev.sluice.config.model.EncoderConfig.Pooling;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Files of the kinds that are published with models. */
class PublishedModelTest {
  @TempDir private Path folder;

  private void write(String name, String json) throws IOException {
    Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, json);
  }

  private PublishedModel read() {
    return PublishedModel.in(List.of(folder));
  }

  @Test
  void filesThatAreMissingSayNothing() {
    PublishedModel model = read();
    assertThat(model.pooling()).isEmpty();
    assertThat(model.normalize()).isEmpty();
    assertThat(model.activation()).isEmpty();
    assertThat(model.padToken()).isEmpty();
    assertThat(model.labels()).isEmpty();
    assertThat(model.maxTokens()).isZero();
    assertThat(model.is("ForCausalLM")).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "pooling_mode_mean_tokens, MEAN",
    "pooling_mode_cls_token, CLS",
    "pooling_mode_lasttoken, LAST"
  })
  void poolingIsThatOfSentenceTransformers(String mode, Pooling pooling) throws IOException {
    write(
        "1_Pooling/config.json",
        "{\"word_embedding_dimension\": 384, \"pooling_mode_max_tokens\": false, \""
            + mode
            + "\": true}");
    assertThat(read().pooling()).contains(pooling);
  }

  @Test
  void aPoolingThatIsNotKnownIsNoOther() throws IOException {
    write("1_Pooling/config.json", "{\"pooling_mode_max_tokens\": true}");
    assertThatThrownBy(() -> read().pooling())
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("no pooling that is known here");
  }

  @Test
  void vectorsOfSeveralPoolingsAreNotThoseOfOne() throws IOException {
    write(
        "1_Pooling/config.json",
        "{\"pooling_mode_cls_token\": true, \"pooling_mode_mean_tokens\": true,"
            + " \"pooling_mode_max_tokens\": false}");
    assertThatThrownBy(() -> read().pooling())
        .isInstanceOf(ConfigException.class)
        .hasMessage(
            "1_Pooling/config.json has pooling_mode_cls_token and pooling_mode_mean_tokens, whose"
                + " vectors are not joined here; wanted one of them, or encoder.pooling in"
                + " model.yml");
  }

  @Test
  void aModuleThatIsNotComputedIsNamed() throws IOException {
    String module = "{\"type\": \"sentence_transformers.models.%s\"}";
    write("1_Pooling/config.json", "{\"pooling_mode_cls_token\": true}");
    write(
        "modules.json",
        "[%s, %s]".formatted(module.formatted("Transformer"), module.formatted("Dense")));
    assertThatThrownBy(() -> read().pooling())
        .isInstanceOf(ConfigException.class)
        .hasMessage(
            "modules.json has the module 'Dense', which is not computed here; wanted Transformer,"
                + " Pooling and Normalize, a graph with the output sentence_embedding, or"
                + " encoder.pooling in model.yml for vectors without the module");
    write(
        "modules.json",
        "[%s, %s]".formatted(module.formatted("Transformer"), module.formatted("Normalize")));
    assertThat(read().pooling()).contains(Pooling.CLS);
  }

  @Test
  void aModelWithoutANormalizeModuleKeepsTheLengthsOfItsVectors() throws IOException {
    write("modules.json", "[{\"type\": \"sentence_transformers.models.Pooling\"}]");
    assertThat(read().normalize()).contains(false);
    write(
        "modules.json",
        "[{\"type\": \"sentence_transformers.models.Pooling\"},"
            + " {\"type\": \"sentence_transformers.models.Normalize\"}]");
    assertThat(read().normalize()).contains(true);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'sbert_ce_default_activation_function': 'torch.nn.modules.linear.Identity'} | NONE",
        "{'sentence_transformers': {'activation_fn': 'torch.nn.modules.activation.Sigmoid'}} |"
            + " SIGMOID",
        "{'problem_type': 'multi_label_classification'} | SIGMOID"
      },
      quoteCharacter = '"')
  void scoresAreMadeAsConfigJsonSays(String config, Activation activation) throws IOException {
    write("config.json", config.replace('\'', '"'));
    assertThat(read().activation()).contains(activation);
  }

  @Test
  void theLongestTextIsThatOfTheTokenizerUnlessItHasNoLimit() throws IOException {
    write("config.json", "{\"max_position_embeddings\": 514, \"pad_token_id\": 1}");
    write("tokenizer_config.json", "{\"model_max_length\": 1000000000000000019884624838656}");
    assertThat(read().maxTokens()).isEqualTo(514);
    assertThat(read().padToken()).hasValue(1);
    write("tokenizer_config.json", "{\"model_max_length\": 512}");
    assertThat(read().maxTokens()).isEqualTo(512);
  }

  @Test
  void positionsMayBeThoseOfTheTextPartOfAModel() throws IOException {
    write("config.json", "{\"text_config\": {\"max_position_embeddings\": 2048}}");
    assertThat(read().maxPositions()).isEqualTo(2048);
  }

  @Test
  void labelsAreInTheOrderOfTheirLogits() throws IOException {
    write("config.json", "{\"id2label\": {\"1\": \"no\", \"0\": \"yes\", \"2\": \"maybe\"}}");
    assertThat(read().labels()).containsExactly("yes", "no", "maybe");
  }

  @Test
  void aFileThatIsNoJsonIsNamed() throws IOException {
    write("config.json", "no");
    assertThatThrownBy(this::read)
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("config.json is no JSON");
  }
}
