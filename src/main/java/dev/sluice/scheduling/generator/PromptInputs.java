package dev.sluice.scheduling.generator;

import dev.sluice.inference.LoopStep;
import dev.sluice.scheduling.generator.GenerationInput.Origin;
import dev.sluice.scheduling.generator.input.AttentionMask;
import dev.sluice.scheduling.generator.input.PositionIds;
import dev.sluice.scheduling.generator.input.TokenHistory;
import dev.sluice.scheduling.prefix.FoundPrefix;
import dev.sluice.scheduling.prefix.PrefixCache;
import dev.sluice.scheduling.prefix.PromptPrefix;
import dev.sluice.scheduling.prefix.StreamTokens;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Inputs of the steps that run a prompt: whole, in chunks, or behind a prefix whose KV cache is
 * kept. Owns the mask. One thread at a time.
 */
final class PromptInputs implements AutoCloseable {
  private final PromptState prompt;
  private final PromptChunks chunks;
  private final StreamTokens counts;
  private final @Nullable PromptPrefix prefix;
  private final boolean keeps;
  private final @Nullable PositionIds positions;
  private final @Nullable AttentionMask mask;

  /** Tokens of the prompt that were not computed. */
  private int reused;

  /**
   * @param proven how prompts of the loop may run
   * @param counts of the model
   * @param keeps whether other prompts may begin with what this one leaves
   */
  PromptInputs(PromptState prompt, ProvenLoop proven, StreamTokens counts, boolean keeps) {
    this.prompt = prompt;
    this.keeps = keeps;
    this.chunks = new PromptChunks(prompt, proven.chunk());
    this.counts = counts;
    this.prefix =
        proven
            .prefixes()
            .filter(_ -> prompt.isOfTokens())
            .map(cache -> prefix(prompt, cache, chunks))
            .orElse(null);
    GenerationLoop loop = prompt.loop();
    this.positions =
        loop.config()
            .position()
            .map(name -> new PositionIds(loop.called().input(name).orElseThrow(), prompt.rows()))
            .orElse(null);
    this.mask =
        loop.inputs().stream()
            .filter(input -> input.origin() == Origin.MASK)
            .findFirst()
            .map(input -> new AttentionMask(prompt.mask(input)))
            .orElse(null);
  }

  private static PromptPrefix prefix(PromptState prompt, PrefixCache cache, PromptChunks chunks) {
    return cache.of(
        prompt.loop().called().name(),
        prompt.request().model().caller(),
        TokenHistory.numbers(prompt.request().inputs().getFirst().tensor()),
        chunks.length());
  }

  /** Returns the mask, which stays this prompt's; null if there is none. */
  @Nullable AttentionMask mask() {
    return mask;
  }

  /** Returns where steps are; null if the model has no input for that. */
  @Nullable PositionIds positions() {
    return positions;
  }

  /** Returns how many tokens of the prompt were not computed, since their caches were kept. */
  int reused() {
    return reused;
  }

  /** Returns what schedulers heed of the step to come. */
  LoopStep.Prefill step(LoopStep.LateInputs behindPrefix) {
    PromptPrefix earlier = chunks.isFirst() ? prefix : null;
    return new LoopStep.Prefill(
        chunks.tokens(),
        !chunks.isFirst() || (earlier != null && earlier.mayBeKept()),
        earlier == null ? LoopStep.LateInputs.NONE : behindPrefix,
        earlier == null || !keeps ? LoopStep.Turn.ANY : earlier);
  }

  /** Returns an input of the first step; null if there is nothing for it. */
  @Nullable Tensor first(GenerationInput input) {
    return switch (input.origin()) {
      case MASK -> {
        Tensor whole = Objects.requireNonNull(mask).first();
        yield chunks.isCut() ? chunks.masked(whole) : whole;
      }
      case POSITION -> firstPositions(input, Objects.requireNonNull(positions));
      case CHOICE -> chunks.isCut() ? part(input) : prompt.input(input);
      case FEEDBACK, CALLER -> prompt.input(input);
    };
  }

  private Tensor firstPositions(GenerationInput input, PositionIds ids) {
    if (!chunks.isCut()) {
      return prompt.positions(input, ids);
    }
    NamedTensor given = prompt.request().input(input.name());
    if (given == null) {
      return ids.step(chunks.length());
    }
    ids.begin(given.tensor(), prompt.promptLength());
    return part(input);
  }

  /**
   * Returns an input of a step behind a cache.
   *
   * @param caches gives what is fed back
   */
  @Nullable Tensor behind(GenerationInput input, Function<GenerationInput, Tensor> caches) {
    return switch (input.origin()) {
      case CHOICE -> part(input);
      case MASK -> chunks.masked(Objects.requireNonNull(mask).first());
      case POSITION ->
          prompt.request().input(input.name()) == null
              ? Objects.requireNonNull(positions).step(chunks.length())
              : part(input);
      case FEEDBACK -> caches.apply(input);
      case CALLER -> null;
    };
  }

  private Tensor part(GenerationInput input) {
    return chunks.part(Objects.requireNonNull(prompt.request().input(input.name())).tensor());
  }

  /**
   * Finds the prefix to begin behind, the caller's to close. Null if there is none: the prompt
   * begins with its first token.
   */
  @Nullable FoundPrefix begin() {
    FoundPrefix found = prefix == null ? null : prefix.find();
    reused = found == null ? 0 : found.length();
    chunks.goTo(reused);
    if (positions != null) {
      positions.goTo(found == null ? chunks.length() : reused);
    }
    return found;
  }

  /**
   * Learns that a step of the prompt has run.
   *
   * @return whether it was the last one
   */
  boolean hasRun(StepOutputs given) {
    boolean counted = prompt.loop().config().next().isPresent();
    counts.addComputed(counted ? chunks.tokens() : 0);
    if (!chunks.isLast()) {
      chunks.advance();
      if (prefix != null && prefix.isAwaited(chunks.computed())) {
        keep(prefix, chunks.computed(), given);
      }
      return false;
    }
    counts.addReused(reused);
    if (prefix != null && keeps) {
      keep(prefix, prompt.promptLength(), given);
      prefix.close();
    }
    return true;
  }

  private void keep(PromptPrefix left, int tokens, StepOutputs given) {
    GenerationLoop loop = prompt.loop();
    var caches = new ArrayList<NamedTensor>();
    for (GenerationInput input : loop.inputs()) {
      if (input.origin() == Origin.FEEDBACK) {
        Tensor cache = given.look(loop.computed().get(input.output()));
        if (cache.shape().dim(loop.axes().getOrDefault(input.name(), 0)) != tokens) {
          left.keepNothing(tokens);
          return;
        }
        caches.add(new NamedTensor(input.name(), cache));
      }
    }
    left.keep(tokens, List.copyOf(caches));
  }

  @Override
  public void close() {
    if (prefix != null) {
      prefix.close();
    }
    if (mask != null) {
      mask.close();
    }
  }
}
