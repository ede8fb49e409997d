package dev.sluice.scheduling.breaker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.model.BreakerConfig;
import dev.sluice.config.model.BreakerConfig.Readiness;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelId;
import dev.sluice.scheduling.breaker.CircuitBreaker.State;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class CircuitBreakerTest {
  private static final long SECOND = 1_000_000_000;
  private final InferenceException broken =
      new InferenceException(ErrorCode.INTERNAL, "the arena is full");

  private final AtomicLong clock = new AtomicLong(1);
  private final CircuitBreaker breaker = breaker(Duration.ofSeconds(10), 3);

  private CircuitBreaker breaker(Duration hang, int failures) {
    var config = new BreakerConfig(hang, failures, Duration.ofSeconds(5), Readiness.MODEL, 0);
    return new CircuitBreaker(new ModelId("m", 7), config, clock::get);
  }

  private InferenceException refusal() {
    return Objects.requireNonNull(breaker.refusal());
  }

  @Test
  void modelWhoseWorkersAllHangIsOutOfServiceUntilARunEnds() {
    assertThat(breaker.look(0)).isFalse();
    assertThat(breaker.look(10 * SECOND - 1)).isFalse();
    assertThat(breaker.refusal()).isNull();
    assertThat(breaker.look(10 * SECOND)).isTrue();
    assertThat(breaker.look(15 * SECOND)).as("it hung before").isFalse();
    assertThat(breaker.hangs()).isTrue();
    assertThat(refusal().code()).isEqualTo(ErrorCode.UNAVAILABLE);
    assertThat(refusal())
        .hasMessage(
            "model 'm/7' is out of service: a run has taken 10.0 s and has not ended; try again"
                + " later");
    clock.addAndGet(100 * SECOND);
    assertThat(breaker.refusal()).as("no request is tried").isNotNull();
    breaker.ended();
    assertThat(breaker.state()).isEqualTo(State.CLOSED);
    assertThat(breaker.refusal()).isNull();
    assertThat(breaker.problem()).isEmpty();
  }

  @Test
  void runIsHopelessWhenItHasTakenFiveTimesAsLongAsOneThatHangs() {
    assertThat(breaker.exceedsRunLimit(50 * SECOND - 1)).isFalse();
    assertThat(breaker.exceedsRunLimit(50 * SECOND)).isTrue();
    breaker.answered(20 * SECOND);
    assertThat(breaker.exceedsRunLimit(59 * SECOND)).isFalse();
    assertThat(breaker.endedRun(60 * SECOND))
        .hasMessage("a run of model 'm/7' had taken 60.0 s and was ended; try again later");
  }

  @Test
  void modelThatIsSlowByNatureDoesNotHang() {
    breaker.answered(20 * SECOND);
    assertThat(breaker.look(59 * SECOND)).isFalse();
    assertThat(breaker.look(60 * SECOND)).isTrue();
  }

  @Test
  void workerThatIsFreeAgainIsSeenWithoutTheEndOfItsRun() {
    assertThat(breaker.look(11 * SECOND)).isTrue();
    assertThat(breaker.look(0)).isFalse();
    assertThat(breaker.hangs()).isFalse();
  }

  @Test
  void modelThatFailsIsGivenOneRequestNowAndThenUntilOneIsAnswered() {
    for (int i = 0; i < 3; i++) {
      assertThat(breaker.refusal()).isNull();
      breaker.failed(broken);
    }
    assertThat(breaker.state()).isEqualTo(State.OPEN);
    assertThat(breaker.hangs()).as("what waits may run").isFalse();
    assertThat(refusal())
        .hasMessage(
            "model 'm/7' is out of service: 3 runs in a row failed, the last with: the arena is"
                + " full; try again later");
    assertThat(refusal().retryAfter()).isEqualTo(Duration.ofSeconds(5));
    clock.addAndGet(5 * SECOND);
    assertThat(breaker.refusal()).as("one is tried").isNull();
    assertThat(breaker.state()).isEqualTo(State.HALF_OPEN);
    assertThat(breaker.refusal()).as("and one only").isNotNull();
    breaker.failed(broken);
    assertThat(breaker.state()).isEqualTo(State.OPEN);
    clock.addAndGet(5 * SECOND);
    assertThat(breaker.refusal()).isNull();
    breaker.answered(SECOND);
    assertThat(breaker.state()).isEqualTo(State.CLOSED);
    breaker.failed(broken);
    assertThat(breaker.refusal()).as("counted anew").isNull();
  }

  @Test
  void probeThatNeverRunsIsFollowedByAnother() {
    for (int i = 0; i < 3; i++) {
      breaker.failed(broken);
    }
    clock.addAndGet(5 * SECOND);
    assertThat(breaker.refusal()).isNull();
    clock.addAndGet(5 * SECOND);
    assertThat(breaker.refusal()).isNull();
  }

  @Test
  void answerBetweenFailuresAndFaultsOfRequestsCountForNothing() {
    for (int i = 0; i < 10; i++) {
      breaker.failed(broken);
      breaker.failed(broken);
      breaker.failed(InferenceException.invalid("a wrong shape"));
      breaker.failed(new InferenceException(ErrorCode.RESOURCE_EXHAUSTED, "OOM"));
      breaker.answered(1);
    }
    assertThat(breaker.state()).isEqualTo(State.CLOSED);
  }

  private ErrorCode refuseValues() {
    var refused = InferenceException.unprovenModel(ErrorCode.INVALID_ARGUMENT, "index 7 of 3");
    return breaker.failed(refused).code();
  }

  @Test
  void refusedValuesAreTheServersFailureWhereNoRunHasEverBeenAnsweredButAllAreTried() {
    assertThat(refuseValues()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
    assertThat(refuseValues()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
    assertThat(breaker.state()).isEqualTo(State.CLOSED);
    assertThat(refuseValues()).isEqualTo(ErrorCode.INTERNAL);
    assertThat(breaker.state()).isEqualTo(State.HALF_OPEN);
    assertThat(breaker.refusal()).isNull();
    assertThat(breaker.problem()).isEmpty();
    breaker.answered(1);
    assertThat(breaker.state()).isEqualTo(State.CLOSED);
    for (int i = 0; i < 10; i++) {
      assertThat(refuseValues()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
    }
    assertThat(breaker.state()).isEqualTo(State.CLOSED);
  }

  @Test
  void modelThatIsStoppedStaysSoWhateverItsRunsDo() {
    breaker.stop("the server is stopping");
    breaker.ended();
    breaker.answered(1);
    assertThat(breaker.look(0)).isFalse();
    assertThat(breaker.look(100 * SECOND)).isFalse();
    assertThat(breaker.hangs()).isTrue();
    assertThat(refusal())
        .hasMessage("model 'm/7' is out of service: the server is stopping; try again later");
  }

  @Test
  void breakerThatIsTurnedOffNeverOpens() {
    CircuitBreaker off = breaker(Duration.ZERO, 0);
    for (int i = 0; i < 1000; i++) {
      off.failed(broken);
    }
    assertThat(off.look(Long.MAX_VALUE)).isFalse();
    assertThat(off.refusal()).isNull();
  }

  @Test
  void modelWithoutSessionsIsOutOfServiceUntilOneIsOpenAndKeepsWhatWaits() {
    breaker.reopening("its process ended with signal 9 (SIGKILL)", Duration.ofSeconds(4), false);
    assertThat(breaker.state()).isEqualTo(State.OPEN);
    assertThat(breaker.hangs()).as("what waits is kept").isFalse();
    assertThat(refusal()).hasMessageContaining("signal 9 (SIGKILL)");
    assertThat(refusal().retryAfter()).isEqualTo(Duration.ofSeconds(4));
    clock.addAndGet(60 * SECOND);
    assertThat(refusal().retryAfter()).isEqualTo(Duration.ofSeconds(1));
    breaker.reopened();
    assertThat(breaker.refusal()).isNull();
    assertThat(breaker.state()).isEqualTo(State.CLOSED);
  }

  @Test
  void modelThatCannotBeOpenedAgainRefusesWhatWaitsToo() {
    breaker.reopening("its process ended", Duration.ofSeconds(1), false);
    breaker.reopening("the file is not there", Duration.ofSeconds(2), true);
    assertThat(breaker.hangs()).isTrue();
    assertThat(refusal()).hasMessageContaining("the file is not there");
    breaker.reopened();
    assertThat(breaker.hangs()).isFalse();
  }

  @Test
  void neitherFailuresNorLongRunsChangeWhyAModelWithoutSessionsIsOutOfService() {
    breaker.reopening("its process ended", Duration.ofSeconds(1), false);
    for (int i = 0; i < 5; i++) {
      breaker.failed(broken);
    }
    assertThat(breaker.look(100 * SECOND)).isTrue();
    assertThat(breaker.hangs()).isFalse();
    breaker.ended();
    assertThat(refusal()).hasMessageContaining("its process ended");
    breaker.stop("the server is stopping");
    breaker.reopened();
    assertThat(refusal()).hasMessageContaining("the server is stopping");
  }

  @Test
  void modelThatFailsSaysSoAndIsTriedAtOnceAfterItsSessionsWereOpenedAgain() {
    var said = new AtomicLong();
    breaker.onFailing(said::incrementAndGet);
    for (int i = 0; i < 3; i++) {
      breaker.failed(broken);
    }
    assertThat(said).hasValue(1);
    assertThat(breaker.refusal()).isNotNull();
    breaker.reopened();
    assertThat(breaker.refusal()).as("one request is tried").isNull();
    breaker.failed(broken);
    assertThat(said).hasValue(2);
    assertThat(breaker.refusal()).isNotNull();
  }
}
