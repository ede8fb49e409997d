package dev.sluice.telemetry.meter;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BucketsTest {
  private static final List<Buckets> ALL =
      List.of(Buckets.LATENCY, Buckets.WAITING, Buckets.FIRST_RESPONSE);

  private static void assertBelongs(Buckets buckets, long value) {
    int index = buckets.index(value);
    assertThat(index).isBetween(0, buckets.count() - 1);
    if (index > 0) {
      assertThat(buckets.bound(index - 1)).isLessThan((double) value);
    }
    if (index < buckets.count() - 1) {
      assertThat(buckets.bound(index)).isGreaterThanOrEqualTo((double) value);
    }
  }

  @Test
  void aValueIsInTheFirstBucketThatEndsAtItOrBehindIt() {
    var random = new Random(7);
    for (Buckets buckets : ALL) {
      for (int i = 0; i < 100_000; i++) {
        assertBelongs(buckets, random.nextLong() >>> random.nextInt(Long.SIZE));
      }
    }
  }

  @Test
  void boundsBelongToTheirBuckets() {
    for (Buckets buckets : ALL) {
      for (int i = 0; i < buckets.count() - 1; i++) {
        long below = (long) Math.floor(buckets.bound(i));
        assertBelongs(buckets, below);
        assertBelongs(buckets, below + 1);
      }
    }
  }

  @Test
  void theSmallestAndTheLargestValuesHaveTheirPlaces() {
    for (Buckets buckets : ALL) {
      assertThat(buckets.index(Long.MIN_VALUE)).isZero();
      assertThat(buckets.index(0)).isZero();
      assertThat(buckets.index(Long.MAX_VALUE)).isEqualTo(buckets.count() - 1);
    }
  }

  @Test
  void examplesAreCountedAboveTheBoundThatTheyReach() {
    assertThat(Buckets.EXAMPLES.count()).isEqualTo(16);
    assertThat(Buckets.EXAMPLES.index(1)).isEqualTo(1);
    assertThat(Buckets.EXAMPLES.index(3)).isEqualTo(2);
    assertThat(Buckets.EXAMPLES.index(4)).isEqualTo(3);
    assertThat(Buckets.EXAMPLES.index(16_383)).isEqualTo(14);
    assertThat(Buckets.EXAMPLES.index(16_384)).isEqualTo(15);
  }
}
