package dev.sluice.inference;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.inference.ComposingModelTimes.BusyTime;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ComposingModelTimesTest {
  private final ComposingModelTimes times = new ComposingModelTimes();
  private static final long NOW = 1_000_000;

  private final BusyTime busy = times.busy();

  private void add(long begun, long ended) {
    times.add(begun, begun, begun, ended, ended);
  }

  @Test
  void runsOneAfterTheOtherAreAddedUpHoweverManyThereAre() {
    for (int i = 0; i < 10_000; i++) {
      add(10L * i, 10L * i + 3);
    }
    assertThat(busy.nanos(NOW)).isEqualTo(30_000);
    assertThat(busy.lastEnd(NOW)).isEqualTo(99_993);
  }

  @Test
  void timeIsCountedOnceWhereRunsAreSideBySide() {
    add(10, 20);
    add(30, 40);
    add(15, 35);
    add(100, 110);
    assertThat(busy.nanos(NOW)).isEqualTo(40);
    add(0, 120);
    assertThat(busy.nanos(NOW)).isEqualTo(120);
    assertThat(busy.lastEnd(NOW)).isEqualTo(120);
  }

  @Test
  void runThatIsAddedLateLeavesTheGapsBesideIt() {
    add(50, 60);
    add(10, 20);
    assertThat(busy.nanos(NOW)).isEqualTo(20);
    assertThat(busy.lastEnd(NOW)).isEqualTo(60);
  }

  @Test
  void clockMayBeNegative() {
    add(-30, -20);
    add(-25, 5);
    assertThat(busy.nanos(NOW)).isEqualTo(35);
    assertThat(busy.lastEnd(NOW)).isEqualTo(5);
  }

  @Test
  void runOfAComposedRequestIsAtOnceTheBusyTimeOfTheRequest() {
    ComposingModelTimes within = ComposingModelTimes.within(times);
    within.add(0, 10, 11, 14, 20);
    assertThat(busy.nanos(NOW)).isEqualTo(10);
    assertThat(times.infer()).isZero();

    times.add(within);
    assertThat(busy.nanos(NOW)).isEqualTo(10);
    assertThat(times.infer()).isEqualTo(3);
    assertThat(times.queue()).isEqualTo(10);
  }

  @Test
  void runUnderWayCountsUntilNow() {
    add(10, 20);
    times.runBegan(15, 40);
    assertThat(busy.nanos(50)).isEqualTo(20);
    assertThat(busy.lastEnd(50)).isEqualTo(50);
    assertThat(times.waited()).isEqualTo(25);
    assertThat(times.ran(50)).isEqualTo(20);

    add(40, 60);
    assertThat(busy.nanos(NOW)).isEqualTo(30);
    assertThat(busy.lastEnd(NOW)).isEqualTo(60);
    assertThat(times.ran(NOW)).isEqualTo(30);
  }

  @Test
  void runThatIsForgottenCountsNowhere() {
    times.runBegan(0, 10);
    assertThat(busy.isUsed()).isTrue();
    times.runForgotten();
    assertThat(busy.isUsed()).isFalse();
    assertThat(times.ran(NOW)).isZero();
  }

  @Test
  void runUnderWayBesideOthersIsCountedOnce() {
    times.runBegan(0, 10);
    times.runBegan(0, 12);
    times.add(0, 12, 12, 30, 30);
    assertThat(busy.nanos(50)).isEqualTo(40);
  }

  @Test
  void nothingIsBusyWithoutARun() {
    assertThat(busy.isUsed()).isFalse();
    assertThat(busy.nanos(NOW)).isZero();
  }

  @Test
  void anyRunsCoverWhatTheyCoverTogether() {
    var random = new SplittableRandom(5);
    for (int round = 0; round < 200; round++) {
      List<int[]> runs = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        int begun = random.nextInt(1_000);
        runs.add(new int[] {begun, begun + 1 + random.nextInt(60)});
      }
      if (round % 2 == 0) {
        runs.sort(Comparator.comparingInt(run -> run[1]));
      }
      var covered = new BitSet();
      var any = new ComposingModelTimes();
      for (int[] run : runs) {
        covered.set(run[0], run[1]);
        any.add(run[0], run[0], run[0], run[1], run[1]);
        assertThat(any.busy().nanos(NOW)).isEqualTo(covered.cardinality());
      }
    }
  }
}
