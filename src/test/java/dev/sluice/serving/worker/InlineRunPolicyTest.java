package dev.sluice.serving.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.scheduling.queue.PendingRequest;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.testing.Tensors;
import dev.sluice.testing.WaitingRequests;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class InlineRunPolicyTest {
  private final InlineRunPolicy runs = policy(false);

  private static InlineRunPolicy policy(boolean equalRows) {
    return new InlineRunPolicy(new InlineLimit(Duration.ofNanos(100), equalRows));
  }

  /** Short runs on the worker until those of this size are inline, this one at last. */
  private int probation(long size) {
    int count = 0;
    while (!runs.holds(size)) {
      runs.learn(size, 50);
      count++;
    }
    return count;
  }

  @Test
  void nothingIsShortThatWasNeverRun() {
    assertThat(runs.holds(0)).isFalse();
    assertThat(runs.holds(8)).isFalse();
  }

  @Test
  void whatTookNoLongerThanTheLimitIsShortAndSoIsWhatIsSmaller() {
    runs.learn(8, 100);
    assertThat(runs.holds(8)).isTrue();
    assertThat(runs.holds(4)).isTrue();
    assertThat(runs.holds(9)).isFalse();
  }

  @Test
  void aRunThatTookLongEndsItForItsSizeAndAbove() {
    runs.learn(16, 50);
    runs.learn(8, 101);
    assertThat(runs.holds(16)).isFalse();
    assertThat(runs.holds(8)).isFalse();
    assertThat(runs.holds(7)).isTrue();
  }

  @Test
  void aLongRunIsFollowedBySomeOnTheWorkerAndEachFurtherOneByTwiceAsMany() {
    runs.learn(8, 50);
    runs.learn(8, 101);
    assertThat(probation(8)).isEqualTo(9);
    runs.learn(8, 101);
    assertThat(probation(8)).isEqualTo(17);
    runs.learn(8, 101);
    assertThat(probation(8)).isEqualTo(33);
  }

  @Test
  void theyAreNeverMoreThanAThousandOrSo() {
    runs.learn(8, 50);
    for (int i = 0; i < 20; i++) {
      runs.learn(8, 101);
      assertThat(probation(8)).isLessThanOrEqualTo(1_025);
    }
  }

  @Test
  void aLongOneAmongThemMakesItBeginAgain() {
    runs.learn(8, 50);
    runs.learn(8, 101);
    for (int i = 0; i < 8; i++) {
      runs.learn(8, 50);
    }
    runs.learn(8, 101);
    assertThat(probation(8)).isEqualTo(9);
  }

  @Test
  void whatHappenedLongAgoIsForgiven() {
    runs.learn(8, 50);
    runs.learn(8, 101);
    probation(8);
    for (int i = 0; i < 64; i++) {
      runs.learn(8, 50);
    }
    runs.learn(8, 101);
    assertThat(probation(8)).isEqualTo(9);
  }

  @Test
  void aLongRunOfALargerSizeSaysNothingAboutSmallerOnes() {
    runs.learn(8, 50);
    runs.learn(1_000, 500);
    assertThat(runs.holds(8)).isTrue();
  }

  @Test
  void aBatchIsAsLargeAsTheInputsOfItsRequests() {
    assertThat(size(policy(false), 2, 3)).isEqualTo(2 * (2 + 3) * Float.BYTES);
    assertThat(size(policy(true), 2, 2)).isEqualTo(2 * (2 + 2) * Float.BYTES);
  }

  @Test
  void whereRowsMultiplyInputsOfDifferentRowsAreOfNoKnownSize() {
    InlineRunPolicy equalRows = policy(true);
    long size = size(equalRows, 2, 3);
    equalRows.learn(size, 50);
    assertThat(equalRows.holds(size)).isFalse();
    assertThat(equalRows.holds(0)).isFalse();
  }

  /** The size of a batch of two requests, each with an input of so many rows and another one. */
  private static long size(InlineRunPolicy policy, int rows, int others) {
    try (var requests = new WaitingRequests()) {
      List<PendingRequest> batch = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        var one = new NamedTensor("x", Tensors.floats(Shape.of(rows), new float[rows]));
        var other = new NamedTensor("z", Tensors.floats(Shape.of(others), new float[others]));
        batch.add(requests.inputs(one, other));
      }
      long size = policy.size(batch);
      batch.forEach(waiting -> waiting.request().close());
      return size;
    }
  }
}
