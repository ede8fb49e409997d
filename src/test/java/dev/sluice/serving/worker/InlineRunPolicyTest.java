package dev.sluice.serving.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class InlineRunPolicyTest {
  private final InlineRunPolicy runs = new InlineRunPolicy(Duration.ofNanos(100));

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
  void aRunThatTookLongEndsItForItsSizeAndAboveUntilOneIsShortAgain() {
    runs.learn(16, 50);
    runs.learn(8, 101);
    assertThat(runs.holds(16)).isFalse();
    assertThat(runs.holds(8)).isFalse();
    assertThat(runs.holds(7)).isTrue();
    runs.learn(8, 50);
    assertThat(runs.holds(8)).isTrue();
    assertThat(runs.holds(16)).isFalse();
  }

  @Test
  void aLongRunOfALargerSizeSaysNothingAboutSmallerOnes() {
    runs.learn(8, 50);
    runs.learn(1_000, 500);
    assertThat(runs.holds(8)).isTrue();
  }
}
