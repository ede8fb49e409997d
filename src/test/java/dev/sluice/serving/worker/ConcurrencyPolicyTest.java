package dev.sluice.serving.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.model.BatchingConfig;
import dev.sluice.scheduling.batching.BatchRules;
import dev.sluice.serving.worker.ConcurrencyPolicy.Need;
import dev.sluice.testing.FakeSession;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ConcurrencyPolicyTest {
  private static final long LONG = ConcurrencyPolicy.LONG_NANOS;
  private static final int BATCH = 8;

  private static ConcurrencyPolicy alone() {
    return policy(BatchingConfig.DEFAULT);
  }

  private static ConcurrencyPolicy joining() {
    return policy(new BatchingConfig(BATCH, true, Duration.ZERO, List.of(), List.of()));
  }

  private static ConcurrencyPolicy policy(BatchingConfig batching) {
    return new ConcurrencyPolicy(new BatchRules(batching, FakeSession.METADATA));
  }

  private static ConcurrencyPolicy usually(ConcurrencyPolicy policy, long nanos) {
    for (int i = 0; i < 100; i++) {
      policy.learn(nanos);
    }
    return policy;
  }

  @Test
  void noWorkerIsNeededWhileNothingWaits() {
    assertThat(alone().need(0, LONG)).isEqualTo(Need.NONE);
  }

  @Test
  void noWorkerIsNeededWhileAnotherIsInNoRun() {
    assertThat(usually(alone(), 10 * LONG).need(5, 0)).isEqualTo(Need.NONE);
  }

  @Test
  void shortRunsHaveOneWorkerHoweverMuchWaits() {
    assertThat(alone().need(1000, LONG - 1)).isEqualTo(Need.NONE);
    assertThat(joining().need(1000, LONG - 1)).isEqualTo(Need.NONE);
  }

  @Test
  void aRunThatTakesLongHoldsUpWhatWaits() {
    assertThat(alone().need(1, LONG)).isEqualTo(Need.IF_A_CORE_IS_FREE);
    assertThat(joining().need(1, LONG)).isEqualTo(Need.IF_A_CORE_IS_FREE);
  }

  @Test
  void whatJoinsTheNextRunWaitsForOneThatTakesNoLongerThanUsual() {
    ConcurrencyPolicy policy = usually(joining(), 10 * LONG);
    assertThat(policy.need(BATCH - 1, 20 * LONG)).isEqualTo(Need.NONE);
    assertThat(policy.need(1, 2 * ConcurrencyPolicy.UNUSUAL * 10 * LONG)).isNotEqualTo(Need.NONE);
  }

  @Test
  void aFullBatchOfAModelWithLongRunsNeedsAnotherWorkerAtOnce() {
    ConcurrencyPolicy policy = usually(joining(), 10 * LONG);
    assertThat(policy.need(BATCH, 1)).isEqualTo(Need.IF_A_CORE_IS_FREE);
    assertThat(usually(joining(), LONG / 10).need(BATCH, 1)).isEqualTo(Need.NONE);
  }

  @Test
  void oneRequestOfAModelWithLongRunsThatJoinsNoneNeedsAnotherWorkerAtOnce() {
    assertThat(usually(alone(), 10 * LONG).need(1, 1)).isEqualTo(Need.IF_A_CORE_IS_FREE);
  }

  @Test
  void afterATenthOfASecondNoCoreHasToBeFree() {
    long nanos = ConcurrencyPolicy.LONGEST_WAIT_NANOS;
    assertThat(alone().need(1, nanos - 1)).isEqualTo(Need.IF_A_CORE_IS_FREE);
    assertThat(alone().need(1, nanos)).isEqualTo(Need.NOW);
  }
}
