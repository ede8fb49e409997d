package dev.sluice.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.MemoryUsage;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class HeapTrimmerTest {
  private static final long MIB = 1 << 20;

  private long committed = 40 * MIB;
  private long smallest = 40 * MIB;
  private long largest = 128 * MIB;
  private long processorTime;
  private int forced;
  private long nanos;

  private final HeapTrimmer unused =
      new HeapTrimmer(
          () -> new MemoryUsage(0, MIB, committed, largest),
          () -> processorTime,
          this::collect,
          () -> nanos);

  private void collect() {
    forced++;
    committed = smallest;
  }

  private void load() {
    committed = 120 * MIB;
    later(HeapTrimmer.INTERVAL);
    processorTime += HeapTrimmer.INTERVAL.toNanos() / 2;
    assertThat(unused.look()).isFalse();
  }

  private void later(Duration time) {
    nanos += time.toNanos();
  }

  @Test
  void aHeapThatHasGrownIsShrunkOnceWhenTheServerIsAtRest() {
    load();
    load();
    later(HeapTrimmer.INTERVAL);
    assertThat(unused.look()).isTrue();
    assertThat(committed).isEqualTo(40 * MIB);
    later(Duration.ofHours(1));
    assertThat(unused.look()).isFalse();
    assertThat(forced).isEqualTo(1);
  }

  @Test
  void aHeapIsLeftAloneForAsLongAsRequestsUseTheProcessor() {
    for (int i = 0; i < 100; i++) {
      load();
    }
    assertThat(forced).isZero();
  }

  @Test
  void aHeapThatHasNotGrownIsLeftAlone() {
    committed = 50 * MIB;
    later(Duration.ofHours(1));
    assertThat(unused.look()).isFalse();
    assertThat(forced).isZero();
  }

  @Test
  void aLargeHeapIsNotLeftWithWhatASmallOneWouldGiveBack() {
    largest = 4096 * MIB;
    load();
    later(HeapTrimmer.INTERVAL);
    assertThat(unused.look()).isTrue();
    assertThat(committed).isEqualTo(40 * MIB);
  }

  @Test
  void aHeapThatCannotShrinkIsNotCollectedAgain() {
    smallest = 110 * MIB;
    load();
    later(HeapTrimmer.INTERVAL);
    assertThat(unused.look()).isTrue();
    later(Duration.ofHours(1));
    assertThat(unused.look()).isFalse();
  }

  @Test
  void burstsThatFollowEachOtherAreOne() {
    load();
    later(HeapTrimmer.INTERVAL);
    assertThat(unused.look()).isTrue();
    load();
    later(HeapTrimmer.INTERVAL);
    assertThat(unused.look()).isFalse();
    later(Duration.ofMinutes(2));
    assertThat(unused.look()).isTrue();
    assertThat(forced).isEqualTo(2);
  }
}
