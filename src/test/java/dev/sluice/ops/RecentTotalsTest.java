package dev.sluice.ops;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RecentTotalsTest {
  private static final long SECOND = 1_000_000_000;

  private final RecentTotals<String, Long> totals =
      new RecentTotals<>((before, now) -> now >= before);

  private void look(int second, long calls) {
    totals.add(second * SECOND, Map.of("quiet", 0L, "busy", calls));
  }

  @Test
  void thereAreTwoLooksAtLeastAndTenSecondsAtMost() {
    look(0, 100);
    assertThat(totals.of("busy")).isNull();
    look(2, 103);
    assertThat(totals.of("busy")).isEqualTo(new RecentTotals.Recent<>(100L, 103L, 2));
    assertThat(totals.of("quiet")).isEqualTo(new RecentTotals.Recent<>(0L, 0L, 2));
    for (int i = 3; i <= 12; i++) {
      look(i, 103);
    }
    assertThat(totals.of("busy")).isEqualTo(new RecentTotals.Recent<>(103L, 103L, 10));
  }

  @Test
  void totalsThatBeginAnewAreNotComparedWithThoseBefore() {
    look(0, 100);
    look(1, 110);
    look(2, 1);
    assertThat(totals.of("busy")).isNull();
    look(3, 3);
    assertThat(totals.of("busy")).isEqualTo(new RecentTotals.Recent<>(1L, 3L, 1));
  }

  @Test
  void whatIsNotThereAnyMoreIsForgotten() {
    look(0, 100);
    look(1, 110);
    totals.add(2 * SECOND, Map.of());
    assertThat(totals.of("busy")).isNull();
  }
}
