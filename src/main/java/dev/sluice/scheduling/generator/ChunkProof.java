package dev.sluice.scheduling.generator;

import dev.sluice.tensor.PaddingSide;
import java.util.Map;
import java.util.Optional;

/**
 * Proves on a model itself that a prompt may run in chunks: the logits behind it and the caches
 * that it leaves are those of the prompt that runs whole. Then the caches of a stream may be
 * computed again from its tokens, too: a decode step is a chunk of one.
 */
record ChunkProof(ProofModel model) {
  /** Tokens of a prompt whose second chunk has several tokens behind a cache, and its last one. */
  private static final int PROMPT = 7;

  private static final int CHUNK = 3;

  /**
   * Returns why prompts run whole; empty if they may run in chunks. Never throws: a model that
   * cannot be tried is served as it is.
   */
  Optional<String> obstacle() {
    return unsuitable().or(model::unsuitable).or(this::difference);
  }

  private Optional<String> unsuitable() {
    GenerationLoop loop = model.loop();
    if (loop.config().stop().output().isPresent()) {
      return Optional.of("an output ends its streams");
    }
    String token = loop.config().next().map(next -> next.as()).orElse("");
    return loop.shown().outputs().stream()
        .map(output -> output.name())
        .filter(name -> !name.equals(token) && !isFedBack(loop, name))
        .findFirst()
        .map(name -> "its messages have the output " + name + " of the whole prompt");
  }

  private static boolean isFedBack(GenerationLoop loop, String output) {
    int index = loop.indexOf(output);
    return index >= 0 && loop.inputs().stream().anyMatch(input -> input.output() == index);
  }

  private Optional<String> difference() {
    try (var whole = ProofStream.prefill(model, chunked(0), PROMPT);
        var cut = ProofStream.prefill(model, chunked(CHUNK), PROMPT)) {
      return whole.difference(cut, "chunks change");
    } catch (RuntimeException e) {
      return Optional.of(ProofModel.refusal(e));
    }
  }

  private static ProvenLoop chunked(int chunk) {
    return new ProvenLoop(PaddingSide.LEFT, 0, chunk, Map.of(), Optional.empty(), false);
  }
}
