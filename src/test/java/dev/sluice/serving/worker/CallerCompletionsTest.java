package dev.sluice.serving.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.scheduling.queue.PendingRequest;
import dev.sluice.scheduling.queue.Recipient;
import dev.sluice.testing.WaitingRequests;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class CallerCompletionsTest {
  private static final long MICRO = 1_000;

  private final WaitingRequests requests = new WaitingRequests();
  private final CallerCompletions delay = new CallerCompletions();
  private long now = 17;

  @BeforeEach
  void begin() {
    delay.begin(now);
  }

  @AfterEach
  void close() {
    requests.close();
  }

  @Test
  void answersWaitForOthersWhileRunsAreShort() {
    assertThat(runsBefore(10 * MICRO, false)).isEqualTo(5);
  }

  @Test
  void anAnswerDoesNotWaitForARunThatWouldTakeLonger() {
    assertThat(runsBefore(30 * MICRO, false)).isEqualTo(1);
  }

  @Test
  void stepsOfAStreamWaitLonger() {
    assertThat(runsBefore(100 * MICRO, true)).isEqualTo(10);
  }

  @Test
  void aStepDoesNotWaitForAStepThatWouldTakeLonger() {
    assertThat(runsBefore(600 * MICRO, true)).isEqualTo(1);
  }

  @Test
  void oneAnswerAmongStepsIsNotHeldUpByThem() {
    add(true);
    add(false);
    assertThat(ran(60 * MICRO)).isTrue();
  }

  @Test
  void afterALongRunNothingWaitsUntilThereWereSomeShortOnes() {
    assertThat(runsBefore(10 * MICRO, false)).isEqualTo(5);
    assertThat(runsBefore(5_000 * MICRO, false)).isEqualTo(1);
    assertThat(runsBefore(MICRO, false)).isEqualTo(1);
    for (int i = 0; i < 200; i++) {
      delay.begin(now);
      ran(MICRO);
    }
    assertThat(runsBefore(10 * MICRO, false)).isEqualTo(5);
  }

  /** How many runs of such a length it takes until what waits is sent. */
  private int runsBefore(long nanos, boolean steps) {
    delay.begin(now);
    int runs = 0;
    boolean over = false;
    while (!over) {
      add(steps);
      over = ran(nanos);
      runs++;
    }
    return runs;
  }

  private boolean ran(long nanos) {
    now += nanos;
    return delay.isOver(now);
  }

  private void add(boolean step) {
    try (var request = requests.rows(1, now).request()) {
      delay.add(
          step
              ? PendingRequest.underWay(
                  request, requests.callerContext(), 1, now, new NoRecipient())
              : new PendingRequest(request, requests.callerContext(), 1, now));
    }
  }

  /** Whom nothing is brought. */
  private static final class NoRecipient implements Recipient {
    @Override
    public boolean onCompletion(PendingRequest request) {
      return true;
    }

    @Override
    public void deliver(
        @Nullable InferenceResponse response, @Nullable InferenceException failure) {
      throw new AssertionError("nothing is delivered here");
    }
  }
}
