package dev.sluice.scheduling.generator;

import dev.sluice.config.model.GeneratorConfig.Sampling;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.BitSet;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Chooses one of many by their logits: the largest, or by chance. The chances are those of {@code
 * softmax(logits / temperature)} among the {@code top_k} largest, cut where {@code top_p} of them
 * is reached, without those below {@code min_p} of the likeliest. Penalties and biases change the
 * logits before either. One thread at a time.
 *
 * <p>Chance is a race: each candidate has a random time that does not depend on the logits, which
 * its probability shortens, and the first one is chosen. So logits that differ in their last
 * digits, as those of rows in batches of different sizes do, have the same winner but where two
 * arrive together. Laid against sums of probabilities, one random number would choose others as
 * soon as these sums differ by more than the probability of most tokens.
 */
final class TokenSampler {
  private final Sampling sampling;
  private final SplittableRandom random;
  private double[] weights = {};

  /** What is chosen among; null: all candidates. */
  private @Nullable BitSet allowed;

  TokenSampler(Sampling sampling) {
    this.sampling = sampling;
    this.random =
        new SplittableRandom(sampling.seed().orElseGet(ThreadLocalRandom.current()::nextLong));
  }

  /**
   * Chooses.
   *
   * @param logits borrowed
   * @param from the first of the candidates, counted in elements
   * @param count how many there are, at least one
   * @param before the tokens that were there before; null if there are no penalties
   * @return which one, counted from the first
   */
  int choose(Tensor logits, long from, int count, @Nullable TokenCounts before) {
    allowed = null;
    return choose(logits, from, count, before, true);
  }

  /**
   * Chooses among some of the candidates. The others are as unlikely as can be.
   *
   * @param some at least one of the candidates
   */
  int choose(Tensor logits, long from, int count, @Nullable TokenCounts before, BitSet some) {
    allowed = some;
    int token = choose(logits, from, count, before, false);
    // Where no allowed one has a probability, any is as good.
    return some.get(token) ? token : some.nextSetBit(0);
  }

  private int choose(
      Tensor logits, long from, int count, @Nullable TokenCounts before, boolean any) {
    if (sampling.temperature() != 0 && count > 1) {
      return draw(logits, from, count, before);
    }
    return any && before == null && sampling.logitBias().isEmpty()
        ? largest(logits, from, count)
        : largestPenalised(logits, from, count, before);
  }

  private int largestPenalised(Tensor logits, long from, int count, @Nullable TokenCounts before) {
    read(logits, from, count, before);
    int best = 0;
    for (int i = 1; i < count; i++) {
      if (weights[i] > weights[best]) {
        best = i;
      }
    }
    return best;
  }

  private static int largest(Tensor logits, long from, int count) {
    MemorySegment data = logits.data();
    if (logits.type() == DataType.FP32) {
      return largestSingle(data, from, count);
    }
    int best = 0;
    double largest = value(data, logits.type(), from);
    for (int i = 1; i < count; i++) {
      double value = value(data, logits.type(), from + i);
      if (value > largest) {
        largest = value;
        best = i;
      }
    }
    return best;
  }

  private static int largestSingle(MemorySegment data, long from, int count) {
    int best = 0;
    float largest = data.getAtIndex(ValueLayout.JAVA_FLOAT, from);
    for (int i = 1; i < count; i++) {
      float value = data.getAtIndex(ValueLayout.JAVA_FLOAT, from + i);
      if (value > largest) {
        largest = value;
        best = i;
      }
    }
    return best;
  }

  /** Returns a logit as a number. */
  static double value(Tensor logits, long index) {
    return value(logits.data(), logits.type(), index);
  }

  private static double value(MemorySegment data, DataType type, long index) {
    return switch (type) {
      case FP32 -> data.getAtIndex(ValueLayout.JAVA_FLOAT, index);
      case FP64 -> data.getAtIndex(ValueLayout.JAVA_DOUBLE, index);
      case FP16 -> Float.float16ToFloat(data.getAtIndex(ValueLayout.JAVA_SHORT, index));
      case BF16 -> Float.intBitsToFloat(data.getAtIndex(ValueLayout.JAVA_SHORT, index) << 16);
      default -> throw new IllegalArgumentException(type + " are no logits");
    };
  }

  private int draw(Tensor logits, long from, int count, @Nullable TokenCounts before) {
    read(logits, from, count, before);
    weigh(count);
    boolean cut = sampling.topK() > 0 && sampling.topK() < count;
    if (cut || sampling.topP() < 1) {
      keepLikeliest(count, cut ? sampling.topK() : count);
    }
    return first(count);
  }

  /** Returns which one arrives first: times are exponentially distributed, by the weights. */
  private int first(int count) {
    SplittableRandom times = random.split();
    double earliest = Double.POSITIVE_INFINITY;
    int first = 0;
    for (int i = 0; i < count; i++) {
      double chance = times.nextDouble();
      // Its logarithm, which takes long, is larger than itself.
      if (weights[i] > 0 && chance < earliest * weights[i]) {
        double time = -Math.log1p(-chance) / weights[i];
        if (time < earliest) {
          earliest = time;
          first = i;
        }
      }
    }
    return first;
  }

  private void read(Tensor logits, long from, int count, @Nullable TokenCounts before) {
    if (weights.length < count) {
      weights = new double[count];
    }
    MemorySegment data = logits.data();
    for (int i = 0; i < count; i++) {
      weights[i] = value(data, logits.type(), from + i);
    }
    if (before != null) {
      before.penalise(weights, count, sampling.penalties());
    }
    sampling
        .logitBias()
        .forEach((token, bias) -> {
          if (token < count) {
            weights[token] += bias;
          }
        });
    forbid(count);
  }

  private void forbid(int count) {
    if (allowed != null) {
      for (int i = allowed.nextClearBit(0); i < count; i = allowed.nextClearBit(i + 1)) {
        weights[i] = Double.NEGATIVE_INFINITY;
      }
    }
  }

  /** Makes probabilities of logits, but for their sum. What is not a number is never chosen. */
  private void weigh(int count) {
    double highest = Double.NEGATIVE_INFINITY;
    for (int i = 0; i < count; i++) {
      highest = weights[i] > highest ? weights[i] : highest;
    }
    for (int i = 0; i < count; i++) {
      double weight = Math.exp((weights[i] - highest) / sampling.temperature());
      weights[i] = weight >= sampling.minP() ? weight : 0;
    }
  }

  private void keepLikeliest(int count, int most) {
    long[] order = likeliestFirst(count);
    double sum = 0;
    for (int i = 0; i < most; i++) {
      sum += weights[index(order, i)];
    }
    int kept = 0;
    double reached = 0;
    while (kept < most && (kept == 0 || reached < sampling.topP() * sum)) {
      reached += weights[index(order, kept++)];
    }
    for (int i = kept; i < count; i++) {
      weights[index(order, i)] = 0;
    }
  }

  /**
   * Indices by falling weight, the lower one first among equals: each in the low half of a number
   * whose high half sorts. Weights are not negative, so that their bits grow with them.
   */
  private long[] likeliestFirst(int count) {
    var order = new long[count];
    for (int i = 0; i < count; i++) {
      long bits = Float.floatToIntBits((float) weights[i]);
      order[i] = ((Integer.MAX_VALUE - bits) << Integer.SIZE) | i;
    }
    Arrays.sort(order);
    return order;
  }

  private static int index(long[] order, int place) {
    return (int) order[place];
  }
}
