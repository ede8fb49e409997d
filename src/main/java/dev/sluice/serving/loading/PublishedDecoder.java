package dev.sluice.serving.loading;

import dev.sluice.config.compat.huggingface.PublishedGeneration;
import dev.sluice.config.compat.huggingface.PublishedModel;
import dev.sluice.config.model.BatchingConfig;
import dev.sluice.config.model.EncoderConfig;
import dev.sluice.config.model.GeneratorConfig;
import dev.sluice.config.model.GeneratorConfig.Next;
import dev.sluice.config.model.GeneratorConfig.Stop;
import dev.sluice.config.model.ModelConfig;
import dev.sluice.config.model.TextConfig;
import dev.sluice.inference.Signature;
import dev.sluice.tensor.TensorSpec;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Completes the settings of a decoder that lies in a folder as it is published on Hugging Face: its
 * graph, by the names that exporters give, tells how it is run in a loop, its files how it reads,
 * chooses and ends.
 *
 * @param published the files
 */
record PublishedDecoder(PublishedModel published) {
  private static final String IDS = "input_ids";
  private static final String MASK = "attention_mask";
  private static final String POSITIONS = "position_ids";
  private static final String LOGITS = "logits";
  private static final String PAST = "past_key_values.";
  private static final String PRESENT = "present.";
  private static final Set<String> STEP = Set.of(IDS, MASK, POSITIONS, "use_cache_branch");
  private static final int LOGITS_RANK = 3;

  /** Streams that advance together, unless the settings say how many. */
  private static final int JOINED_STREAMS = 16;

  /** Tokens of an answer, at most, unless the request or the files say how many. */
  private static final int STEPS = 1_024;

  private static final int PROMPT_LENGTH = 1 << 16;

  /** Characters of a token, at most, in prompts that fill the context. */
  private static final int TOKEN_LENGTH = 8;

  /**
   * Returns the settings with the loop; the same if they say how the model runs or name its own
   * inputs, or if it is no decoder with a tokenizer.
   *
   * @throws dev.sluice.config.binding.ConfigException if a file says what cannot be
   */
  ModelConfig complete(ModelConfig said, Signature signature) {
    Optional<Path> tokenizer = published.file("tokenizer.json");
    boolean named = said.declaresInputIn(name -> signature.input(name).isPresent());
    if (saysHow(said) || named || tokenizer.isEmpty() || !isDecoder(signature)) {
      return said;
    }
    ModelConfig looped =
        said.withStream(said.stream().withGenerator(loop(signature, tokenizer.get())));
    BatchingConfig batching = said.batching();
    return batching.maxBatchSize() == 0
        ? looped.withBatching(batching.withJoined(JOINED_STREAMS, batching.maxBatchBytes()))
        : looped;
  }

  private static boolean saysHow(ModelConfig said) {
    return said.encoder().task() == EncoderConfig.Task.NONE
        || said.stream().generator().isPresent()
        || said.stream().rows() > 0
        || said.sequence().isPresent()
        || said.ragged().isPresent();
  }

  private boolean isDecoder(Signature signature) {
    List<String> caches =
        signature.inputs().stream()
            .map(TensorSpec::name)
            .filter(name -> name.startsWith(PAST))
            .toList();
    return published.file("config.json").isPresent()
        && signature.input(IDS).isPresent()
        && signature.output(LOGITS).filter(PublishedDecoder::isOfTokens).isPresent()
        && !caches.isEmpty()
        && caches.stream().allMatch(name -> signature.output(present(name)).isPresent())
        && signature.inputs().stream()
            .allMatch(input -> input.name().startsWith(PAST) || STEP.contains(input.name()));
  }

  private static boolean isOfTokens(TensorSpec logits) {
    return logits.shape().isRankKnown() && logits.shape().rank() == LOGITS_RANK;
  }

  private static String present(String past) {
    return PRESENT + past.substring(PAST.length());
  }

  private GeneratorConfig loop(Signature signature, Path tokenizer) {
    PublishedGeneration generation = published.generation();
    int context = context();
    int steps = generation.maxNewTokens().orElse(STEPS);
    int most = context == 0 ? steps : context;
    return new GeneratorConfig(
        Map.of(PRESENT + "*", PAST + "*"),
        Optional.of(new Next(LOGITS, IDS, "token", generation.sampling())),
        Optional.of(POSITIONS).filter(name -> signature.input(name).isPresent()),
        Optional.of(MASK).filter(name -> signature.input(name).isPresent()),
        new Stop(
            generation.endTokens(
                signature.output(LOGITS).orElseThrow().shape().dim(LOGITS_RANK - 1)),
            Optional.empty(),
            most,
            Math.min(steps, most),
            Duration.ZERO),
        List.of(),
        Optional.of(text(tokenizer, context)));
  }

  private static TextConfig text(Path tokenizer, int context) {
    return new TextConfig(
        tokenizer.resolveSibling("vocabulary.json"),
        Optional.of(tokenizer),
        "text",
        Optional.empty(),
        Math.max(PROMPT_LENGTH, TOKEN_LENGTH * context),
        context,
        false);
  }

  /** The smaller one of what the model and its tokenizer take; 0 if neither says so. */
  private int context() {
    return IntStream.of(published.maxPositions(), published.maxTokens())
        .filter(tokens -> tokens > 0)
        .min()
        .orElse(0);
  }
}
