package dev.sluice.serving.encoder;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LengthBucketsTest {
  @Test
  void textsOfLikeLengthsAreTogether() {
    assertThat(new LengthBuckets(1_000).of(new int[] {100, 5, 101, 6, 5}))
        .containsExactly(new int[] {1, 4, 3}, new int[] {0, 2});
  }

  @Test
  void aGroupHasNoMoreTokensThanItMay() {
    assertThat(new LengthBuckets(20).of(new int[] {10, 10, 10, 30}))
        .containsExactly(new int[] {0, 1}, new int[] {2}, new int[] {3});
  }

  @Test
  void nothingIsInNoGroup() {
    assertThat(new LengthBuckets(20).of(new int[] {})).isEmpty();
  }

  @Test
  void eachPlaceIsThereOnceAndLittleIsPadding() {
    var random = new SplittableRandom(3);
    int[] lengths = IntStream.range(0, 500).map(_ -> random.nextInt(1, 200)).toArray();
    List<int[]> buckets = new LengthBuckets(2_000).of(lengths);
    assertThat(buckets.stream().flatMapToInt(IntStream::of).sorted().toArray())
        .containsExactly(IntStream.range(0, 500).toArray());
    assertThat(buckets)
        .allSatisfy(bucket -> {
          int sum = IntStream.of(bucket).map(place -> lengths[place]).sum();
          int padded =
              bucket.length * IntStream.of(bucket).map(place -> lengths[place]).max().orElse(0);
          assertThat(padded).isLessThanOrEqualTo(2_000);
          assertThat(padded - sum).isLessThanOrEqualTo(8 + sum / 8);
        });
  }
}
