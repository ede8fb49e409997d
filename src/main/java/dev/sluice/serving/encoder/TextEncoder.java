package dev.sluice.serving.encoder;

import dev.sluice.config.model.EncoderConfig;
import dev.sluice.config.model.EncoderConfig.Task;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.Signature;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorSpec;
import dev.sluice.text.HuggingFaceTokenizer;
import dev.sluice.text.TokenSequence;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a text encoder. Immutable; any thread.
 *
 * @param config the model's, with nothing left open but whether texts run together
 * @param graph its tensors
 * @param tokenizer cuts texts to {@code maxTokens} if the settings say so
 * @param maxTokens longest text
 * @param padToken which shorter rows are padded with
 * @param labels names of the classes; empty if there are none
 * @param apart why texts run one by one; empty if they run together
 */
public record TextEncoder(
    EncoderConfig config,
    EncoderGraph graph,
    HuggingFaceTokenizer tokenizer,
    int maxTokens,
    long padToken,
    List<String> labels,
    String apart) {
  static final String TEXT = "text";
  static final String QUERY = "query";
  static final String EMBEDDING = "embedding";
  static final String SCORE = "score";
  static final String LABEL = "label";
  static final String TOKENS = "tokens";

  /** Returns whether texts run together. */
  public boolean joins() {
    return apart.isEmpty();
  }

  /** Returns the same with texts that run one by one, for a reason, or with none together. */
  TextEncoder apart(String why) {
    return new TextEncoder(config, graph, tokenizer, maxTokens, padToken, labels, why);
  }

  /** Returns whether a text is compared with a query. */
  public boolean takesPairs() {
    return config.task() == Task.RERANK;
  }

  /** Returns the signature that clients see. */
  Signature shown() {
    var rows = Shape.of(Shape.ANY);
    var text = new TensorSpec(TEXT, DataType.BYTES, rows);
    var score = new TensorSpec(SCORE, DataType.FP32, rows);
    return switch (config.task()) {
      case RERANK ->
          shown(List.of(new TensorSpec(QUERY, DataType.BYTES, Shape.of(1)), text), List.of(score));
      case CLASSIFICATION ->
          shown(List.of(text), List.of(new TensorSpec(LABEL, DataType.BYTES, rows), score));
      default ->
          shown(
              List.of(text),
              List.of(
                  new TensorSpec(EMBEDDING, DataType.FP32, Shape.of(Shape.ANY, graph.width()))));
    };
  }

  private Signature shown(List<TensorSpec> inputs, List<TensorSpec> outputs) {
    var all = new ArrayList<>(outputs);
    all.add(new TensorSpec(TOKENS, DataType.INT32, Shape.of(Shape.ANY)).asOptional());
    return new Signature(graph.called().name(), graph.called().method(), inputs, all);
  }

  /**
   * Returns the tokens of a text.
   *
   * @param query that it is compared with; null if there is none
   * @param index of the text, for errors
   * @throws InferenceException with INVALID_ARGUMENT if there are too many
   */
  TokenSequence tokens(@Nullable String query, String text, long index) {
    TokenSequence tokens =
        query == null ? tokenizer.sequence(text, null) : tokenizer.sequence(query, text);
    if (tokens.length() == 0 || tokens.length() > maxTokens) {
      throw InferenceException.invalid(
          "input \"%s\" has %d tokens in element %d; wanted 1 to %d (setting encoder.max_tokens)"
              .formatted(TEXT, tokens.length(), index, maxTokens));
    }
    return tokens;
  }

  /** Returns what was found out, in one sentence. */
  String description() {
    String what =
        switch (config.task()) {
          case RERANK ->
              "scores pairs of texts, activation "
                  + lower(config.head().activation().orElseThrow());
          case CLASSIFICATION ->
              "classifies texts as %s, activation %s"
                  .formatted(classes(), lower(config.head().activation().orElseThrow()));
          default -> "embeds texts" + pooling();
        };
    return "%s, %d tokens at most%s; %s"
        .formatted(
            what,
            maxTokens,
            config.tokens().truncate() ? "" : ", longer ones refused",
            joins() ? "texts run together" : "texts run one by one: " + apart);
  }

  private String classes() {
    if (!labels.isEmpty()) {
      return labels.size() + " labels";
    }
    return graph.width() < 0 ? "labels without names" : graph.width() + " labels without names";
  }

  private String pooling() {
    String normalized = config.head().normalize().orElseThrow() ? ", normalized" : "";
    return graph.needsPooling()
        ? ", pooling " + lower(config.head().pooling().orElseThrow()) + normalized
        : normalized;
  }

  private static String lower(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
