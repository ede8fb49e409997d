package dev.sluice.scheduling.generator;

import dev.sluice.tensor.PaddingSide;
import java.util.Map;
import java.util.Optional;

/**
 * What a model has proved of the loop of one signature.
 *
 * @param signature its name
 * @param side the side on which padding changes nothing, so that streams of different lengths run
 *     together; empty: neither, or none is needed since steps of all lengths have one size
 * @param apart why streams of different lengths run apart; empty if they do not
 * @param whole why prompts run whole; empty if chunks change nothing
 * @param afresh why each prompt is computed from its beginning; empty if it may begin with what an
 *     earlier one has left
 * @param inPlace outputs that steps write over inputs, caches with room for what is new, with the
 *     names of these; empty: steps copy their caches
 */
public record LoopProof(
    String signature,
    Optional<PaddingSide> side,
    String apart,
    Optional<String> whole,
    Optional<String> afresh,
    Map<String, String> inPlace) {}
