package dev.sluice.scheduling.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.inference.Deadline;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.testing.WaitingRequests;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PendingRequestTest {
  private final WaitingRequests requests = new WaitingRequests();
  private final Vertx vertx = Vertx.vertx();
  private final List<String> delivered = new ArrayList<>();

  @AfterEach
  void close() {
    requests.close();
    vertx.close().await();
  }

  /** Hears how steps of a stream ended. */
  private final class Steps implements Recipient {
    @Override
    public void deliver(
        @Nullable InferenceResponse response, @Nullable InferenceException failure) {
      delivered.add(failure == null ? "end" : failure.getMessage());
    }
  }

  @Test
  void aStreamThatHasBegunDidNotWaitInTheQueueInVain() {
    InferenceRequest request = requests.request(Deadline.at(5), 0, 1f);
    PendingRequest step =
        PendingRequest.underWay(request, vertx.getOrCreateContext(), 1, 5, new Steps());
    assertThat(List.of(step.abandonedInQueue(6), step.abandonedInRun(6)))
        .allSatisfy(failure -> {
          assertThat(failure.code()).isEqualTo(ErrorCode.DEADLINE_EXCEEDED);
          assertThat(failure).hasMessage("Request timeout expired before the stream had ended");
        });
    request.close();
  }

  private PendingRequest step(String answer, @Nullable PendingRequest earlier) {
    InferenceRequest request = requests.request(Deadline.NONE, 0, 1f);
    Context context = vertx.getOrCreateContext();
    PendingRequest step = PendingRequest.underWay(request, context, 1, 0, new Steps());
    step.follows(earlier);
    step.complete(InferenceException.invalid(answer));
    return step;
  }

  @Test
  void stepsThatWorkersSendInAnyOrderAreDeliveredInTheirOwnAndOnce() {
    PendingRequest one = step("one", null);
    PendingRequest two = step("two", one);
    PendingRequest three = step("three", two);
    PendingRequest four = step("four", three);
    one.deliver();
    three.deliver();
    assertThat(delivered).containsExactly("one", "two", "three");
    two.deliver();
    four.deliver();
    assertThat(delivered).containsExactly("one", "two", "three", "four");
  }

  /** A reader that is slow keeps a stream between two steps for as long as it likes. */
  @Test
  void stepThatWasDeliveredHoldsItsAnswerNoLonger() {
    PendingRequest step = step("none", null);
    InferenceRequest request = step.request();
    step.complete(
        new InferenceResponse(
            request.model().id(), request.signature(), List.of(), Map.of(), false));
    assertThat(step.response()).isNotNull();
    step.deliver();
    assertThat(step.response()).isNull();
  }
}
