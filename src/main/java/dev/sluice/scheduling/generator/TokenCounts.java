package dev.sluice.scheduling.generator;

import dev.sluice.config.model.GeneratorConfig.Penalties;
import java.util.Arrays;

/**
 * Counts the tokens of one row of a stream, so that penalties can be applied: which were there, and
 * how often each was chosen. A hash table with open addressing. One thread at a time.
 */
final class TokenCounts {
  private static final int FREE = -1;
  private static final int SMALLEST = 64;

  /** A power of two long, at most half full. */
  private int[] tokens = free(SMALLEST);

  private int[] chosen = new int[SMALLEST];
  private int size;

  private static int[] free(int length) {
    int[] table = new int[length];
    Arrays.fill(table, FREE);
    return table;
  }

  /** Counts a token of the prompt. Negative ones, which stand for no token, are not counted. */
  void addPrompt(int token) {
    if (token >= 0) {
      place(token);
    }
  }

  /** Counts a token that was chosen. */
  void addChosen(int token) {
    // The table may grow, so the place comes first.
    int place = place(token);
    chosen[place]++;
  }

  private int place(int token) {
    int place = find(token);
    if (tokens[place] == FREE) {
      tokens[place] = token;
      size++;
      if (size > tokens.length / 2) {
        grow();
        place = find(token);
      }
    }
    return place;
  }

  private int find(int token) {
    int mask = tokens.length - 1;
    int place = (token * 0x9E3779B9) >>> 7 & mask;
    while (tokens[place] != FREE && tokens[place] != token) {
      place = (place + 1) & mask;
    }
    return place;
  }

  private void grow() {
    int[] oldTokens = tokens;
    int[] oldChosen = chosen;
    tokens = free(2 * oldTokens.length);
    chosen = new int[tokens.length];
    for (int i = 0; i < oldTokens.length; i++) {
      if (oldTokens[i] != FREE) {
        int place = find(oldTokens[i]);
        tokens[place] = oldTokens[i];
        chosen[place] = oldChosen[i];
      }
    }
  }

  /**
   * Makes the counted tokens less likely.
   *
   * @param logits by token
   * @param count how many of them there are
   */
  void penalise(double[] logits, int count, Penalties penalties) {
    for (int i = 0; i < tokens.length; i++) {
      int token = tokens[i];
      if (token != FREE && token < count) {
        logits[token] = penalised(logits[token], chosen[i], penalties);
      }
    }
  }

  private static double penalised(double logit, int times, Penalties penalties) {
    double repeated = logit > 0 ? logit / penalties.repetition() : logit * penalties.repetition();
    return times == 0 ? repeated : repeated - penalties.presence() - penalties.frequency() * times;
  }
}
