package dev.sluice.serving.encoder;

import dev.sluice.inference.InferenceException;
import dev.sluice.runtime.ModelSession;
import dev.sluice.tensor.FloatValues;
import dev.sluice.tensor.Tensor;
import dev.sluice.text.TokenSequence;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Proves on a model itself that texts which run together, padded to the longest, are answered as
 * they are alone. Models whose activations are quantized by a scale of the whole batch are not. For
 * a session that no other caller uses meanwhile; one thread.
 *
 * @param session of the model's own tensors; borrowed
 */
record JoinProof(ModelSession session, TextEncoder encoder) {
  /** By which answers may differ, as a part of the largest number. */
  static final double TOLERANCE = 1e-5;

  private static final List<String> TEXTS =
      List.of(
          "a", "b", "one two three", "four five six seven eight nine ten, and eleven or twelve");

  /** Returns why texts run one by one; empty if they run together. */
  Optional<String> obstacle() {
    try {
      String query = encoder.takesPairs() ? TEXTS.getLast() : null;
      List<TokenSequence> tokens =
          IntStream.range(0, TEXTS.size())
              .mapToObj(i -> encoder.tokens(query, TEXTS.get(i), i))
              .toList();
      return difference(tokens);
    } catch (InferenceException e) {
      return Optional.of("the model refuses made-up texts: " + e.getMessage());
    }
  }

  private Optional<String> difference(List<TokenSequence> tokens) {
    @SuppressWarnings("resource") // The session behind it is borrowed.
    var trial = new EncoderSession(session, encoder, 0);
    int[] all = IntStream.range(0, tokens.size()).toArray();
    List<int[]> each = IntStream.of(all).mapToObj(place -> new int[] {place}).toList();
    try (Tensor together = trial.trial(tokens, List.of(all));
        Tensor apart = trial.trial(tokens, each)) {
      return together.shape().equals(apart.shape())
              && FloatValues.areNear(together, apart, TOLERANCE)
          ? Optional.empty()
          : Optional.of("a text's neighbours change its answer");
    }
  }
}
