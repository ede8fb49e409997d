package dev.sluice.config.compat.huggingface;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.sluice.config.binding.ConfigException;
import dev.sluice.config.binding.FileProblem;
import dev.sluice.config.binding.Units;
import dev.sluice.config.model.EncoderConfig.Activation;
import dev.sluice.config.model.EncoderConfig.Pooling;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * What the files say that a model was published with: {@code config.json}, {@code
 * tokenizer_config.json}, {@code generation_config.json}, and of sentence-transformers {@code
 * modules.json}, {@code sentence_bert_config.json} and {@code 1_Pooling/config.json}. A file that
 * is missing says nothing.
 */
public final class PublishedModel {
  /** What some tokenizers say in place of no limit is far above this. */
  private static final int MOST_TOKENS = 1 << 24;

  private static final String POSITIONS = "max_position_embeddings";
  private static final String MODULES = "modules.json";
  private static final String POOLING = "1_Pooling/config.json";

  /**
   * What sentence-transformers makes vectors with; dropout changes none once a model is trained.
   */
  private static final Set<String> KNOWN_MODULES =
      Set.of("Transformer", "Pooling", "Normalize", "Dropout");

  private static final long LARGEST = 16L * 1024 * 1024;

  /** Loaded when there is such a file: most folders have none, and data binding takes memory. */
  private static final class Json {
    private static final JsonMapper MAPPER = new JsonMapper();
  }

  private final List<Path> folders;
  private final JsonNode config;
  private final JsonNode tokenizer;

  private PublishedModel(List<Path> folders) {
    this.folders = folders;
    this.config = json("config.json");
    this.tokenizer = json("tokenizer_config.json");
  }

  /**
   * Reads the files.
   *
   * @param folders where each is looked for, in this order
   * @throws ConfigException if one of them is no JSON
   */
  public static PublishedModel in(List<Path> folders) {
    return new PublishedModel(List.copyOf(folders));
  }

  /** Returns a file of the model, if it is there. */
  public Optional<Path> file(String name) {
    return folders.stream()
        .map(folder -> folder.resolve(name))
        .filter(Files::isRegularFile)
        .findFirst();
  }

  private JsonNode json(String name) {
    return file(name).map(PublishedModel::read).orElseGet(MissingNode::getInstance);
  }

  private static JsonNode read(Path file) {
    try {
      if (Files.size(file) > LARGEST) {
        throw new ConfigException(file + " is larger than " + Units.show(LARGEST));
      }
      return Json.MAPPER.readTree(Files.readAllBytes(file));
    } catch (IOException e) {
      throw new ConfigException(file + " " + FileProblem.of(e));
    }
  }

  /** Returns whether an architecture's name has this part, as {@code ForCausalLM}. */
  public boolean is(String part) {
    for (JsonNode name : config.path("architectures")) {
      if (name.asText().contains(part)) {
        return true;
      }
    }
    return false;
  }

  /** Returns the names of the classes, in the order of their logits, as far as they have some. */
  public List<String> labels() {
    JsonNode labels = config.path("id2label");
    return IntStream.range(0, labels.size())
        .mapToObj(Integer::toString)
        .takeWhile(labels::has)
        .map(label -> labels.get(label).asText())
        .toList();
  }

  /** Returns what makes scores of its logits, if it says so. */
  public Optional<Activation> activation() {
    JsonNode function = config.path("sentence_transformers").path("activation_fn");
    String name =
        function.isTextual()
            ? function.asText()
            : config.path("sbert_ce_default_activation_function").asText("");
    if (name.endsWith("Identity")) {
      return Optional.of(Activation.NONE);
    }
    boolean several = config.path("problem_type").asText("").equals("multi_label_classification");
    return name.endsWith("Sigmoid") || several ? Optional.of(Activation.SIGMOID) : Optional.empty();
  }

  /**
   * Returns how vectors of texts are made of those of their tokens, if it says so.
   *
   * @throws ConfigException if it is a way that is not known here, or one of several
   */
  public Optional<Pooling> pooling() {
    requireKnownModules();
    JsonNode pooling = json(POOLING);
    List<String> modes =
        pooling.properties().stream()
            .filter(each -> each.getKey().startsWith("pooling_mode_"))
            .filter(each -> each.getValue().asBoolean())
            .map(Map.Entry::getKey)
            .toList();
    if (modes.size() > 1) {
      throw new ConfigException(
          "%s has %s, whose vectors are not joined here; wanted one of them, or encoder.pooling in"
                  .formatted(POOLING, String.join(" and ", modes))
              + " model.yml");
    }
    if (pooling.isMissingNode()) {
      return Optional.empty();
    }
    return Optional.of(
        switch (modes.isEmpty() ? "" : modes.getFirst()) {
          case "pooling_mode_cls_token" -> Pooling.CLS;
          case "pooling_mode_mean_tokens" -> Pooling.MEAN;
          case "pooling_mode_lasttoken" -> Pooling.LAST;
          default ->
              throw new ConfigException(
                  POOLING
                      + " has no pooling that is known here; wanted pooling_mode_cls_token,"
                      + " pooling_mode_mean_tokens or pooling_mode_lasttoken, or encoder.pooling in"
                      + " model.yml");
        });
  }

  private void requireKnownModules() {
    JsonNode modules = json(MODULES);
    for (JsonNode module : modules.isArray() ? modules : MissingNode.getInstance()) {
      String type = module.path("type").asText();
      String name = type.substring(type.lastIndexOf('.') + 1);
      if (!KNOWN_MODULES.contains(name)) {
        throw new ConfigException(
            ("%s has the module '%s', which is not computed here; wanted Transformer, Pooling and"
                    + " Normalize, a graph with the output sentence_embedding, or encoder.pooling"
                    + " in model.yml for vectors without the module")
                .formatted(MODULES, name));
      }
    }
  }

  /** Returns whether vectors have the length 1, if it says so. */
  public Optional<Boolean> normalize() {
    JsonNode modules = json(MODULES);
    if (!modules.isArray()) {
      return Optional.empty();
    }
    boolean found = false;
    for (JsonNode module : modules) {
      found |= module.path("type").asText().endsWith("Normalize");
    }
    return Optional.of(found);
  }

  /** Returns the longest sequence of sentence-transformers; 0 if it does not say so. */
  public int maxSequence() {
    return tokens(json("sentence_bert_config.json").path("max_seq_length"));
  }

  /** Returns the longest sequence of the model; 0 if it does not say so. */
  public int maxTokens() {
    int tokens = tokens(tokenizer.path("model_max_length"));
    return tokens > 0 ? tokens : maxPositions();
  }

  /** Returns how many positions the model knows; 0 if it does not say so. */
  public int maxPositions() {
    int positions = tokens(config.path(POSITIONS));
    // Of a model for text and images, those of its text.
    return positions > 0 ? positions : tokens(config.path("text_config").path(POSITIONS));
  }

  private static int tokens(JsonNode number) {
    double tokens = number.asDouble(0);
    return tokens >= 1 && tokens <= MOST_TOKENS ? (int) tokens : 0;
  }

  /** Returns how a decoder generates text. */
  public PublishedGeneration generation() {
    return new PublishedGeneration(json(PublishedGeneration.FILE), config);
  }

  /** Returns the token that sequences are padded with, if it says so. */
  public OptionalLong padToken() {
    JsonNode token = config.path("pad_token_id");
    return token.isIntegralNumber() ? OptionalLong.of(token.longValue()) : OptionalLong.empty();
  }
}
