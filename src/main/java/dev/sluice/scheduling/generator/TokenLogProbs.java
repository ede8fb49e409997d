package dev.sluice.scheduling.generator;

import dev.sluice.tensor.Tensor;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Log-probabilities of one choice, of the model's own distribution: {@code log_softmax(logits)},
 * before temperature, penalties, biases and constraints.
 *
 * @param chosen the token that was chosen
 * @param top the likeliest ones, the likeliest first, the lower one first among equals
 */
record TokenLogProbs(Ranked chosen, List<Ranked> top) {
  /** What stands for a probability of zero, which has no logarithm, as in OpenAI's interface. */
  static final float LOWEST = -9_999;

  /** A token and the logarithm of its probability. */
  record Ranked(int token, float logProb) {}

  TokenLogProbs {
    top = List.copyOf(top);
  }

  /**
   * Computes them.
   *
   * @param logits borrowed
   * @param from the first of the candidates, counted in elements
   * @param count how many there are, at least one
   * @param token which one was chosen, counted from the first
   * @param most how many of the likeliest are wanted
   */
  static TokenLogProbs of(Tensor logits, long from, int count, int token, int most) {
    double highest = Double.NEGATIVE_INFINITY;
    for (int i = 0; i < count; i++) {
      double logit = TokenSampler.value(logits, from + i);
      highest = logit > highest ? logit : highest;
    }
    double sum = 0;
    for (int i = 0; i < count; i++) {
      double weight = Math.exp(TokenSampler.value(logits, from + i) - highest);
      sum += weight > 0 ? weight : 0;
    }
    double normaliser = highest + Math.log(sum);
    var top = new ArrayList<Ranked>(most);
    for (int likely : likeliest(logits, from, count, most)) {
      top.add(ranked(logits, from, likely, normaliser));
    }
    return new TokenLogProbs(ranked(logits, from, token, normaliser), top);
  }

  private static Ranked ranked(Tensor logits, long from, int token, double normaliser) {
    double logProb = TokenSampler.value(logits, from + token) - normaliser;
    return new Ranked(token, logProb > LOWEST ? (float) logProb : LOWEST);
  }

  private static List<Integer> likeliest(Tensor logits, long from, int count, int most) {
    Comparator<Candidate> worstFirst =
        Comparator.comparingDouble(Candidate::logit)
            .thenComparing(Comparator.comparingInt(Candidate::token).reversed());
    var best = new PriorityQueue<Candidate>(most + 1, worstFirst);
    for (int i = 0; i < count && most > 0; i++) {
      double logit = TokenSampler.value(logits, from + i);
      if (best.size() == most && logit <= best.element().logit) {
        continue;
      }
      best.add(new Candidate(i, Double.isNaN(logit) ? Double.NEGATIVE_INFINITY : logit));
      if (best.size() > most) {
        best.remove();
      }
    }
    return best.stream().sorted(worstFirst.reversed()).map(Candidate::token).toList();
  }

  private record Candidate(int token, double logit) {}
}
