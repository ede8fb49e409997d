package dev.sluice.loadtest.row;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.loadtest.generator.Measurement;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WarmUpTest {
  private static final double BUSY = 0.4;
  private static final double IDLE = 0.01;

  private static WarmUp after(Measurement... rounds) {
    var warmUp = new WarmUp();
    for (Measurement round : rounds) {
      assertThat(warmUp.isOver()).isFalse();
      warmUp.add(round);
    }
    return warmUp;
  }

  private static Measurement round(double rate, double compiling) {
    return new Measurement(rate, 1, 2, 100).withCost(1, compiling);
  }

  @Test
  void twoRoundsThatAreNotFasterEndIt() {
    WarmUp warmUp = after(round(100, IDLE), round(101, IDLE), round(99, IDLE));
    assertThat(warmUp.isOver()).isTrue();
    assertThat(warmUp.isSteady()).isTrue();
    assertThat(warmUp.rounds()).isEqualTo(3);
  }

  @Test
  void fasterRoundStartsTheCountAgain() {
    assertThat(
            after(round(100, IDLE), round(101, IDLE), round(120, IDLE), round(120, IDLE)).isOver())
        .isFalse();
  }

  @Test
  void compilerAtWorkKeepsItGoing() {
    WarmUp warmUp = after(round(100, BUSY), round(100, BUSY), round(100, BUSY));
    assertThat(warmUp.isOver()).isFalse();
    warmUp.add(round(100, IDLE));
    assertThat(warmUp.isOver()).isTrue();
  }

  @Test
  void roundWithoutAServerToWatchCountsAsCompiled() {
    assertThat(WarmUp.isCompiled(Measurement.ofRate(7))).isTrue();
  }

  @Test
  void compilerThreadsAreComparedOneByOne() {
    Map<String, Double> before = Map.of("10", 500.0, "11", 100.0);
    Map<String, Double> after = Map.of("11", 130.0, "12", 20.0);
    assertThat(Watched.added(before, after)).isEqualTo(50);
  }
}
