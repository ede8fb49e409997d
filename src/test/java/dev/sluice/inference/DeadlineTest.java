package dev.sluice.inference;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class DeadlineTest {
  @Test
  void aDeadlineHasPassedFromItsPointOn() {
    Deadline deadline = Deadline.after(Duration.ofNanos(10), 100);
    assertThat(deadline.hasPassed(109)).isFalse();
    assertThat(deadline.hasPassed(110)).isTrue();
  }

  @Test
  void theClockMayOverflowBeforeTheDeadline() {
    Deadline deadline = Deadline.after(Duration.ofNanos(10), Long.MAX_VALUE - 5);
    assertThat(deadline.hasPassed(Long.MAX_VALUE)).isFalse();
    assertThat(deadline.hasPassed(Long.MIN_VALUE + 4)).isTrue();
  }

  @Test
  void noDeadlineNeverPasses() {
    assertThat(Deadline.NONE.hasPassed(Long.MAX_VALUE)).isFalse();
    assertThat(Deadline.after(Duration.ofDays(366), 0)).isEqualTo(Deadline.NONE);
  }

  @Test
  void theEarlierOfTwoIsTheOneThatPassesFirst() {
    Deadline first = Deadline.at(Long.MAX_VALUE);
    Deadline second = Deadline.at(Long.MIN_VALUE);
    assertThat(first.earlier(second)).isEqualTo(first);
    assertThat(second.earlier(first)).isEqualTo(first);
    assertThat(Deadline.NONE.earlier(second)).isEqualTo(second);
    assertThat(second.earlier(Deadline.NONE)).isEqualTo(second);
  }
}
