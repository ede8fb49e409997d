package dev.sluice.scheduling.admission;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/**
 * A model that takes a while for each request, requests that come at a rate, and a clock by hand.
 */
class QueueTimeLimitTest {
  private static final int QUEUE = 1_025;
  private static final Duration TARGET = Duration.ofMillis(10);
  private static final Duration BURST = Duration.ofSeconds(10);
  private static final int UNBOUNDED = (1 << 20) + 1;
  private static final long MICRO = 1_000;
  private static final long SECOND = 1_000_000_000;

  private final AtomicLong clock = new AtomicLong(17);
  private QueueTimeLimit limit = new QueueTimeLimit(1, TARGET, BURST, QUEUE, clock::get);
  private int inFlight;
  private int accepted;
  private int refused;
  private double arrivals;

  @Test
  void nothingIsRefusedBeforeAnythingIsKnown() {
    assertThat(limit.get()).isEqualTo(QUEUE);
    assertThat(limit.timeToDrain()).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void aModelThatKeepsUpIsNotLimited() {
    run(2 * SECOND, 100 * MICRO, 5_000);
    assertThat(refused).isZero();
    assertThat(limit.get()).isEqualTo(QUEUE);
  }

  @Test
  void aBurstOfHundredsOnAnIdleModelPasses() {
    run(SECOND, 100 * MICRO, 100);
    offer(500);
    run(SECOND, 100 * MICRO, 100);
    assertThat(refused).isZero();
  }

  @Test
  void twiceOfWhatTheModelCanTakeIsLimitedToWhatItDoesInTheTargetTime() {
    run(2 * SECOND, 100 * MICRO, 20_000);
    assertThat(limit.get()).isBetween(98, 102);
    assertThat(limit.timeToDrain()).isBetween(Duration.ofMillis(9), Duration.ofMillis(11));
  }

  @Test
  void overloadCostsNoneOfWhatTheModelCanDo() {
    run(SECOND, 100 * MICRO, 20_000);
    int before = accepted;
    run(SECOND, 100 * MICRO, 20_000);
    assertThat(accepted - before).isBetween(9_990, 10_010);
  }

  @Test
  void aModelThatSlowsDownIsAskedLessBitByBit() {
    run(SECOND, 100 * MICRO, 20_000);
    run(SECOND / 2, 400 * MICRO, 20_000);
    assertThat(limit.get()).isBetween(50, 90);
    run(5 * SECOND, 400 * MICRO, 20_000);
    assertThat(limit.get()).isBetween(25, 28);
  }

  @Test
  void theCheaperARequestTheMoreMayWait() {
    run(SECOND, 50 * MICRO, 40_000);
    assertThat(limit.get()).isBetween(395, 410);
    run(SECOND, 20 * MICRO, 100_000);
    assertThat(limit.get()).isEqualTo(QUEUE);
  }

  @Test
  void aModelThatRecoversIsAskedMore() {
    run(SECOND, 400 * MICRO, 20_000);
    run(SECOND, 100 * MICRO, 20_000);
    assertThat(limit.get()).isBetween(95, 102);
  }

  @Test
  void aSlowModelIsStillFed() {
    run(3 * SECOND, 50_000 * MICRO, 1_000);
    assertThat(limit.get()).isEqualTo(16);
    assertThat(limit.timeToDrain()).isGreaterThan(Duration.ofMillis(700));
  }

  @Test
  void aModelThatRunsManyAtOnceIsFedSomeRuns() {
    var joining = new QueueTimeLimit(32, TARGET, BURST, QUEUE, clock::get);
    for (int run = 0; run < 100; run++) {
      clock.addAndGet(20_000 * MICRO);
      for (int i = 0; i < 32; i++) {
        joining.released(600);
      }
    }
    assertThat(joining.get()).isEqualTo(8 * 32);
  }

  @Test
  void whenTheOverloadIsOverTheLimitGoesUpInSteps() {
    run(SECOND, 100 * MICRO, 20_000);
    assertThat(limit.get()).isLessThan(110);
    run(SECOND / 4, 100 * MICRO, 1_000);
    assertThat(limit.get()).isBetween(150, 500);
    run(SECOND, 100 * MICRO, 1_000);
    assertThat(limit.get()).isEqualTo(QUEUE);
  }

  @Test
  void aQuietTimeEndsItAtOnce() {
    run(SECOND, 100 * MICRO, 20_000);
    run(5 * SECOND, 100 * MICRO, 3);
    assertThat(limit.get()).isEqualTo(QUEUE);
  }

  @Test
  void clientsThatWaitForTheirAnswersAreAdmittedHoweverSlowTheModelIs() {
    offer(256);
    for (int i = 0; i < 20_000; i++) {
      clock.addAndGet(1_000 * MICRO);
      release();
      offer(1);
    }
    assertThat(refused).isZero();
  }

  @Test
  void atMostOneInAHundredWaitsLongerBecauseTheLimitIsTried() {
    run(SECOND, 100 * MICRO, 20_000);
    int patient = 0;
    int before = accepted;
    for (int i = 0; i < 20_000; i++) {
      int inFlight = this.inFlight;
      int accepted = this.accepted;
      run(SECOND / 1_000, 100 * MICRO, 20_000);
      patient += inFlight > 150 ? this.accepted - accepted : 0;
    }
    assertThat(patient).isPositive().isLessThan((accepted - before) / 100);
  }

  @Test
  void clientsThatRetryAtOnceAreAdmittedWhenThereIsCapacityForAll() {
    run(SECOND, 100 * MICRO, 20_000);
    assertThat(limit.get()).isLessThan(110);
    for (int i = 0; i < 60_000; i++) {
      clock.addAndGet(100 * MICRO);
      release();
      offer(256 - inFlight);
    }
    assertThat(limit.get()).isEqualTo(QUEUE);
    refused = 0;
    for (int i = 0; i < 60_000; i++) {
      clock.addAndGet(100 * MICRO);
      release();
      offer(256 - inFlight);
    }
    assertThat(refused).isZero();
  }

  @Test
  void aTrialInVainIsFollowedByALongerPause() {
    run(SECOND, 100 * MICRO, 20_000);
    int before = accepted;
    run(60 * SECOND, 100 * MICRO, 20_000);
    assertThat(accepted - before).isBetween(599_000, 601_000);
    assertThat(limit.get()).isBetween(95, 105);
  }

  private void withoutBound() {
    limit = new QueueTimeLimit(1, TARGET, BURST, UNBOUNDED, clock::get);
  }

  @Test
  void burstThatIsAnsweredWithinSecondsPassesWhole() {
    withoutBound();
    run(SECOND, 2_700 * MICRO, 3_600);
    run(20 * SECOND, 2_700 * MICRO, 100);
    assertThat(refused).isZero();
    assertThat(accepted).isGreaterThan(5_000);
  }

  /** The eight who leave first say nothing of what the model does in an hour. */
  @Test
  void burstAfterAQuietHourPassesWhole() {
    withoutBound();
    clock.addAndGet(3_600 * SECOND);
    offer(60);
    run(SECOND, 10_000 * MICRO, 5_000);
    assertThat(refused).isZero();
  }

  @Test
  void burstThatArrivesForSecondsAtAModelOnABusyMachinePassesWhole() {
    withoutBound();
    run(SECOND, 8_000 * MICRO, 10);
    run(4 * SECOND, 8_000 * MICRO, 1_250);
    run(60 * SECOND, 8_000 * MICRO, 1);
    assertThat(refused).isZero();
    assertThat(accepted).isGreaterThan(5_000);
  }

  @Test
  void clientsThatWaitSecondsForTheirAnswersAreAdmitted() {
    withoutBound();
    offer(2_000);
    for (int i = 0; i < 30_000; i++) {
      clock.addAndGet(2_700 * MICRO);
      release();
      offer(1);
    }
    assertThat(refused).isZero();
  }

  @Test
  void queueThatGrowsForTheTimeOfABurstIsLimitedToTheTarget() {
    withoutBound();
    run(9 * SECOND, 1_000 * MICRO, 1_500);
    assertThat(refused).isZero();
    run(3 * SECOND, 1_000 * MICRO, 1_500);
    assertThat(limit.get()).isEqualTo(16);
    run(6 * SECOND, 1_000 * MICRO, 1_500);
    assertThat(inFlight).isLessThanOrEqualTo(251);
  }

  @Test
  void queueInWhichRequestsExpireAgainAndAgainIsLimitedToTheTarget() {
    withoutBound();
    for (int i = 0; i < 4_000; i++) {
      clock.addAndGet(1_000 * MICRO);
      offer(2);
      release();
      if (inFlight > 200) {
        limit.expired();
        release();
      }
    }
    assertThat(limit.get()).isBetween(16, 25);
  }

  /** Lets time pass for a model that takes so long, with so many requests a second. */
  private void run(long nanos, long serviceNanos, int perSecond) {
    long free = clock.get() + serviceNanos;
    for (long end = clock.get() + nanos; free < end; free += serviceNanos) {
      arrivals += serviceNanos * (double) perSecond / SECOND;
      offer((int) arrivals);
      arrivals -= (int) arrivals;
      clock.set(free);
      if (inFlight > 0) {
        release();
      }
    }
  }

  private void offer(int requests) {
    for (int i = 0; i < requests; i++) {
      if (inFlight < limit.get()) {
        limit.entered(inFlight++);
        accepted++;
      } else {
        refused++;
      }
    }
  }

  private void release() {
    limit.released(--inFlight);
  }
}
