package dev.sluice.scheduling.generator;

import dev.sluice.scheduling.prefix.PrefixCache;
import dev.sluice.tensor.PaddingSide;
import java.util.Map;
import java.util.Optional;

/**
 * What a model has proved of its loop when it was loaded.
 *
 * @param side the side on which rows may be padded
 * @param maxPadding elements by which steps that run together may differ; 0: they are not padded
 * @param chunk tokens of a prompt that run at once; 0: all
 * @param inPlace outputs that are written over inputs by each step, with the names of these
 * @param prefixes what its prompts may begin with; empty: each is computed from its beginning
 * @param preempts whether its streams may be preempted: their caches are freed, and computed again
 *     from their tokens
 */
record ProvenLoop(
    PaddingSide side,
    long maxPadding,
    int chunk,
    Map<String, String> inPlace,
    Optional<PrefixCache> prefixes,
    boolean preempts) {
  /** Nothing is proved: steps of one length run together, and prompts whole. */
  static final ProvenLoop NOTHING =
      new ProvenLoop(PaddingSide.LEFT, 0, 0, Map.of(), Optional.empty(), false);
}
