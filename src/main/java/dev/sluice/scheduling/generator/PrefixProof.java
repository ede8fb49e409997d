package dev.sluice.scheduling.generator;

import dev.sluice.scheduling.generator.GenerationInput.Origin;
import dev.sluice.scheduling.prefix.PrefixCache;
import dev.sluice.tensor.PaddingSide;
import java.util.Map;
import java.util.Optional;

/**
 * Proves on a model itself that a prompt may begin with what an earlier one has left: behind the
 * tokens that both have in common, a part of the other's KV cache does what the prompt's own would.
 * So a cache does not depend on what follows. For a model whose prompts may run in chunks, and that
 * no other caller uses meanwhile; one thread.
 */
record PrefixProof(ProofModel model) {
  private static final int PROMPT = 8;
  private static final int COMMON = 5;

  /**
   * Returns why each prompt is computed from its beginning; empty if it need not be. Never throws:
   * a model that cannot be tried is served as it is.
   */
  Optional<String> obstacle() {
    return unsuitable().or(this::difference);
  }

  private Optional<String> unsuitable() {
    GenerationLoop loop = model.loop();
    if (loop.axes().isEmpty()) {
      return Optional.of("it has no attention mask that grows as its caches do");
    }
    return loop.inputs().stream()
        .filter(input -> input.origin() == Origin.FEEDBACK)
        .map(GenerationInput::name)
        .filter(name -> !loop.axes().containsKey(name))
        .findFirst()
        .map(name -> "its input " + name + " does not grow with the prompt");
  }

  private Optional<String> difference() {
    try (var prefixes = new PrefixCache(2, Long.MAX_VALUE, () -> Long.MAX_VALUE, false, () -> {});
        var whole = ProofStream.prefill(model, ProvenLoop.NOTHING, PROMPT)) {
      ProofStream.prefill(model, with(prefixes), PROMPT, COMMON).close();
      return difference(whole, prefixes);
    } catch (RuntimeException e) {
      return Optional.of(ProofModel.refusal(e));
    }
  }

  private Optional<String> difference(ProofStream whole, PrefixCache prefixes) {
    try (var later = ProofStream.prefill(model, with(prefixes), PROMPT)) {
      return later.reusedTokens() == COMMON
          ? whole.difference(later, "the prefix of another prompt changes")
          : Optional.of("its caches are not as long as its prompts");
    }
  }

  private static ProvenLoop with(PrefixCache prefixes) {
    return new ProvenLoop(PaddingSide.LEFT, 0, 0, Map.of(), Optional.of(prefixes), false);
  }
}
