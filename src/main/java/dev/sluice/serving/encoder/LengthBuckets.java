package dev.sluice.serving.encoder;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Groups texts of like lengths, so that few tokens are padding.
 *
 * @param tokens that a group has with its padding, at most; a longer text is a group of its own
 */
record LengthBuckets(int tokens) {
  /** Of each so many tokens, one may be padding: joining saves less than that on a CPU. */
  private static final int TOKENS_FOR_PADDING = 8;

  /** Padding that costs less than another run does. */
  private static final int FREE_PADDING = 8;

  /** Returns groups of places in a list of lengths, each place once; the shortest come first. */
  List<int[]> of(int[] lengths) {
    int[] order =
        IntStream.range(0, lengths.length)
            .boxed()
            .sorted(Comparator.comparingInt(place -> lengths[place]))
            .mapToInt(Integer::intValue)
            .toArray();
    var buckets = new ArrayList<int[]>();
    int begin = 0;
    long sum = 0;
    for (int i = 0; i < order.length; i++) {
      int length = lengths[order[i]];
      if (i > begin && !fits((long) (i - begin + 1) * length, sum + length)) {
        buckets.add(Arrays.copyOfRange(order, begin, i));
        begin = i;
        sum = 0;
      }
      sum += length;
    }
    if (begin < order.length) {
      buckets.add(Arrays.copyOfRange(order, begin, order.length));
    }
    return buckets;
  }

  private boolean fits(long padded, long sum) {
    return padded <= tokens && padded - sum <= FREE_PADDING + sum / TOKENS_FOR_PADDING;
  }
}
