package dev.sluice.scheduling.batching;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Requests that a model takes together as they are. */
class WholeRequestRulesTest {
  @Test
  void aBatchHasSoManyRequestsAndBytesAtMost() {
    var rules = new WholeRequestRules(4, 100);
    assertThat(rules.joins()).isTrue();
    var batch = new Batch();
    batch.rows = 3;
    assertThat(rules.fits(batch, 1, new RowSize(0, 100, 0))).isTrue();
    assertThat(rules.fits(batch, 2, new RowSize(0, 10, 0))).isFalse();
    assertThat(rules.fits(batch, 1, new RowSize(0, 101, 0))).isFalse();
  }

  @Test
  void aModelThatTakesOneRequestJoinsNone() {
    assertThat(new WholeRequestRules(1, Long.MAX_VALUE).joins()).isFalse();
  }
}
