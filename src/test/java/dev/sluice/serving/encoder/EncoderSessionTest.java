package dev.sluice.serving.encoder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.binding.ConfigException;
import dev.sluice.config.compat.huggingface.PublishedModel;
import dev.sluice.config.model.EncoderConfig;
import dev.sluice.config.model.ModelConfig;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.Signature;
import dev.sluice.runtime.ModelSession;
import dev.sluice.runtime.ModelSource;
import dev.sluice.runtime.onnx.OnnxRuntimeProvider;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.testing.RecordCopy;
import dev.sluice.testing.Tensors;
import dev.sluice.testing.TinyEncoder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Texts by a small encoder of ONNX Runtime's. */
class EncoderSessionTest {
  private static final ModelId ID = new ModelId("encoder", 1);
  private static final String[] TEXTS = {
    "One",
    "A stream of tokens is text for those who read it.",
    "你好",
    "b",
    "One token after the other"
  };

  @TempDir private Path folder;

  /** Opens a model with the tokenizer and these further files: names and contents. */
  private EncoderSession open(TinyEncoder model, String... files) throws IOException {
    return find(model, ModelConfig.DEFAULT, files).orElseThrow();
  }

  private Optional<EncoderSession> find(TinyEncoder model, ModelConfig config, String... files)
      throws IOException {
    model.graph().writeTo(folder);
    Files.copy(TinyEncoder.TOKENIZER, folder.resolve("tokenizer.json"));
    for (int i = 0; i < files.length; i += 2) {
      Path file = folder.resolve(files[i]);
      Files.createDirectories(file.getParent());
      Files.writeString(file, files[i + 1]);
    }
    ModelSession session =
        new OnnxRuntimeProvider().open(new ModelSource(ID, folder, ModelConfig.DEFAULT.runtimes()));
    try {
      Optional<EncoderSession> found =
          new EncoderFiles(ID, config, PublishedModel.in(List.of(folder)))
              .find(session)
              .map(encoder -> new EncoderSession(session, encoder, 1));
      if (found.isEmpty()) {
        session.close();
      }
      return found;
    } catch (RuntimeException e) {
      session.close();
      throw e;
    }
  }

  private static List<NamedTensor> run(EncoderSession session, NamedTensor... inputs) {
    Signature signature = session.metadata().signature("").orElseThrow();
    try {
      return session.run(signature, List.of(inputs), signature.supportedOutputs());
    } finally {
      Stream.of(inputs).forEach(input -> input.tensor().close());
    }
  }

  private static NamedTensor texts(String... texts) {
    return new NamedTensor("text", Tensors.texts(Shape.of(texts.length), texts));
  }

  private static float[] vectors(EncoderSession session, String... texts) {
    try (Tensor vectors = run(session, texts(texts)).getFirst().tensor()) {
      assertThat(vectors.shape()).isEqualTo(Shape.of(texts.length, TinyEncoder.WIDTH));
      return Tensors.toFloats(vectors);
    }
  }

  private static double length(float[] vector) {
    double squares = 0;
    for (float number : vector) {
      squares += number * number;
    }
    return Math.sqrt(squares);
  }

  @Test
  void vectorsOfTextsTogetherAreThoseOfEachAlone() throws IOException {
    try (EncoderSession session = open(TinyEncoder.ofVectors(false))) {
      assertThat(session.advice().orElseThrow()).endsWith("texts run together");
      float[] together = vectors(session, TEXTS);
      for (int i = 0; i < TEXTS.length; i++) {
        float[] alone = vectors(session, TEXTS[i]);
        float[] row = Arrays.copyOfRange(together, i * 4, i * 4 + 4);
        assertThat(row).containsExactly(alone, Offset.offset(1e-6f));
        assertThat(length(row)).isCloseTo(1, Offset.offset(1e-6));
      }
    }
  }

  @Test
  void aModelThatPaddingChangesRunsItsTextsOneByOne() throws IOException {
    try (EncoderSession session = open(TinyEncoder.ofVectors(true))) {
      assertThat(session.advice().orElseThrow())
          .endsWith("texts run one by one: a text's neighbours change its answer");
      float[] together = vectors(session, TEXTS);
      for (int i = 0; i < TEXTS.length; i++) {
        assertThat(Arrays.copyOfRange(together, i * 4, i * 4 + 4))
            .containsExactly(vectors(session, TEXTS[i]));
      }
    }
  }

  @Test
  void poolingAndLengthAreThoseOfThePublishedFiles() throws IOException {
    try (EncoderSession session =
        open(
            TinyEncoder.ofVectors(false),
            "1_Pooling/config.json",
            "{\"pooling_mode_cls_token\": true}",
            "modules.json",
            "[{\"type\": \"sentence_transformers.models.Pooling\"}]",
            "sentence_bert_config.json",
            "{\"max_seq_length\": 6}")) {
      assertThat(session.advice().orElseThrow())
          .startsWith("embeds texts, pooling cls, 6 tokens at most;");
      // What is cut is not seen.
      assertThat(vectors(session, "One token after the other"))
          .containsExactly(vectors(session, "One token after the other, and another one"));
    }
  }

  @Test
  void theSettingsSayThePoolingOfAModelWithAModuleThatIsNotComputed() throws IOException {
    String[] files = {
      "modules.json", "[{\"type\": \"sentence_transformers.models.Dense\"}]",
      "1_Pooling/config.json", "{\"pooling_mode_max_tokens\": true}"
    };
    ModelConfig config =
        RecordCopy.with(
            ModelConfig.DEFAULT, "encoder.head.pooling", Optional.of(EncoderConfig.Pooling.LAST));
    try (EncoderSession session = find(TinyEncoder.ofVectors(false), config, files).orElseThrow()) {
      assertThat(session.advice().orElseThrow()).startsWith("embeds texts, pooling last");
    }
  }

  @Test
  void aModelWithAModuleThatIsNotComputedIsRefused() {
    assertThatThrownBy(() ->
            open(
                TinyEncoder.ofVectors(false),
                "modules.json",
                "[{\"type\": \"sentence_transformers.models.Dense\"}]"))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("'Dense'");
  }

  @Test
  void modulesOfPairsDoNotCount() throws IOException {
    String config =
        """
        {"architectures": ["BertForSequenceClassification"], "id2label": {"0": "LABEL_0"}}\
        """;
    try (EncoderSession session =
        open(
            TinyEncoder.ofLogits(1),
            "config.json",
            config,
            "modules.json",
            "[{\"type\": \"sentence_transformers.models.Dense\"}]")) {
      assertThat(session.advice().orElseThrow()).startsWith("scores pairs");
    }
  }

  @Test
  void pairsHaveScores() throws IOException {
    String config =
        """
        {"architectures": ["BertForSequenceClassification"], "id2label": {"0": "LABEL_0"}}\
        """;
    try (EncoderSession session = open(TinyEncoder.ofLogits(1), "config.json", config)) {
      float[] scores = scores(session, "a question", TEXTS);
      assertThat(scores).hasSize(TEXTS.length);
      for (int i = 0; i < scores.length; i++) {
        assertThat(scores[i]).isBetween(0f, 1f);
        assertThat(scores(session, "a question", TEXTS[i])[0])
            .isCloseTo(scores[i], Offset.offset(1e-6f));
      }
      assertThat(scores(session, "another", TEXTS[0])[0]).isNotEqualTo(scores[0]);
    }
  }

  private static float[] scores(EncoderSession session, String query, String... texts) {
    var asked = new NamedTensor("query", Tensors.texts(Shape.of(1), query));
    try (Tensor scores = run(session, asked, texts(texts)).getFirst().tensor()) {
      return Tensors.toFloats(scores);
    }
  }

  @Test
  void classesHaveTheNamesOfThePublishedFiles() throws IOException {
    String config =
        """
        {"architectures": ["BertForSequenceClassification"], "id2label": {"1": "no", "0": "yes"}}\
        """;
    try (EncoderSession session = open(TinyEncoder.ofLogits(15), "config.json", config)) {
      List<NamedTensor> outputs = run(session, texts(TEXTS));
      try {
        assertThat(
                Tensors.toBytes(outputs.getFirst().tensor()).stream()
                    .map(label -> new String(label, StandardCharsets.UTF_8)))
            .containsExactly("yes", "no", "yes", "no", "LABEL_6");
        for (float score : Tensors.toFloats(outputs.getLast().tensor())) {
          assertThat(score).isBetween(1 / 15f, 1f);
        }
      } finally {
        NamedTensor.closeAll(outputs);
      }
    }
  }

  @Test
  void classesWithoutNamesAreCountedByTheirLogits() throws IOException {
    String config = "{\"architectures\": [\"BertForSequenceClassification\"]}";
    try (EncoderSession session = open(TinyEncoder.ofLogits(3), "config.json", config)) {
      assertThat(session.advice().orElseThrow())
          .startsWith("classifies texts as 3 labels without names, ");
    }
  }

  @Test
  void badTextsAreRefusedByName() throws IOException {
    try (EncoderSession session = open(TinyEncoder.ofVectors(false))) {
      assertRefused(session, texts("a", ""), "input \"text\" has 0 bytes in element 1");
      assertRefused(
          session,
          new NamedTensor("text", Tensors.bytes(Shape.of(1), new byte[] {'a', (byte) 0xc3})),
          "input \"text\" is not UTF-8 in element 0");
      assertRefused(
          session,
          texts("a".repeat(TextReader.LONGEST + 1)),
          "has 1048577 bytes in element 0; wanted a text of 1 to 1048576 bytes");
      assertRefused(session, texts(), "input \"text\" has no texts");
    }
  }

  private static void assertRefused(EncoderSession session, NamedTensor input, String why) {
    assertThatThrownBy(() -> run(session, input))
        .isInstanceOf(InferenceException.class)
        .hasMessageContaining(why);
  }

  @Test
  void manyTextsKeepTheirOrder() throws IOException {
    String[] many =
        Stream.iterate(0, i -> i + 1).limit(1_300).map(i -> "text " + i).toArray(String[]::new);
    try (EncoderSession session = open(TinyEncoder.ofVectors(false))) {
      float[] together = vectors(session, many);
      for (int i : new int[] {0, 511, 512, 1_299}) {
        assertThat(Arrays.copyOfRange(together, i * 4, i * 4 + 4))
            .containsExactly(vectors(session, many[i]), Offset.offset(1e-6f));
      }
    }
  }

  @Test
  void logitsWithoutConfigJsonStayTensors() throws IOException {
    assertThat(find(TinyEncoder.ofLogits(2), ModelConfig.DEFAULT)).isEmpty();
  }
}
