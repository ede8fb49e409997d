package dev.sluice.serving.stream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.Signature;
import dev.sluice.telemetry.Telemetry;
import dev.sluice.telemetry.meter.ModelStatistics.ResponseTimes;
import dev.sluice.telemetry.meter.ModelStatistics.Times;
import dev.sluice.telemetry.meter.VersionMeter;
import io.vertx.core.Vertx;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is counted of a stream's responses, by a clock of the test. */
class ResponseTimerTest {
  private static final ModelId MODEL = new ModelId("m", 1);
  private static final Times NEVER = new Times(0, 0);

  private final AtomicLong clock = new AtomicLong(1_000);
  private final VersionMeter meter = new Telemetry(clock::get, () -> Instant.EPOCH).version(MODEL);
  private final Reader reader = new Reader();
  private final Vertx vertx = Vertx.vertx();
  private final ResponseStream responses =
      new ResponseStream(
          new OpenStreams(), new ResponseTimer(meter), reader, vertx.getOrCreateContext());

  @AfterEach
  void close() {
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  /** Takes 3 ns for each response. */
  private final class Reader implements Flow.Subscriber<InferenceResponse> {
    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      subscription.request(2);
    }

    @Override
    public void onNext(InferenceResponse response) {
      clock.addAndGet(3);
    }

    @Override
    public void onError(Throwable failure) {}

    @Override
    public void onComplete() {}
  }

  /** Takes 5 ns until it is cancelled. */
  private final class Model implements Flow.Subscription {
    @Override
    public void request(long count) {}

    @Override
    public void cancel() {
      clock.addAndGet(5);
    }
  }

  private static InferenceResponse response(boolean last) {
    var signature = new Signature(Signature.DEFAULT, "", List.of(), List.of());
    return new InferenceResponse(MODEL, signature, List.of(), Map.of(), last);
  }

  private void responseAfter(long nanos, boolean last) {
    clock.addAndGet(nanos);
    responses.onNext(response(last));
  }

  private List<ResponseTimes> counted() {
    return meter.statistics().responses();
  }

  private static ResponseTimes made(long infer) {
    return new ResponseTimes(
        new Times(1, infer), new Times(1, 3), new Times(1, infer + 3), NEVER, NEVER, NEVER);
  }

  @Test
  void eachResponseIsTimedFromTheOneBefore() {
    responses.onSubscribe(new Model());
    responseAfter(10, false);
    responseAfter(20, true);
    responses.onComplete();
    assertThat(counted()).containsExactly(made(10), made(20));
  }

  @Test
  void noTimeCountsWhileTheReaderWantsNothing() {
    responses.onSubscribe(new Model());
    responseAfter(10, false);
    responseAfter(10, false);
    clock.addAndGet(1_000_000);
    responses.request(1);
    responseAfter(7, true);
    assertThat(counted()).containsExactly(made(10), made(10), made(7));
  }

  @Test
  void anEndThatTheLastResponseDidNotTellIsAnEmptyResponse() {
    responses.onSubscribe(new Model());
    responseAfter(10, false);
    clock.addAndGet(4);
    responses.onComplete();
    assertThat(counted())
        .containsExactly(
            made(10),
            new ResponseTimes(new Times(1, 4), NEVER, NEVER, NEVER, new Times(1, 4), NEVER));
  }

  @Test
  void aFailureInPlaceOfAResponseIsCounted() {
    responses.onSubscribe(new Model());
    clock.addAndGet(6);
    responses.onError(InferenceException.invalid("no"));
    assertThat(counted())
        .containsExactly(
            new ResponseTimes(new Times(1, 6), NEVER, NEVER, new Times(1, 6), NEVER, NEVER));
  }

  @Test
  void cancellingIsCountedOnce() {
    responses.onSubscribe(new Model());
    responseAfter(10, false);
    responses.cancel();
    responses.cancel();
    assertThat(counted())
        .containsExactly(
            made(10), new ResponseTimes(NEVER, NEVER, NEVER, NEVER, NEVER, new Times(1, 5)));
  }

  @Test
  void cancellingAfterTheLastResponseIsNotCounted() {
    responses.onSubscribe(new Model());
    responseAfter(10, true);
    responses.cancel();
    assertThat(counted()).containsExactly(made(10));
  }

  @Test
  void placesBeyondTheBoundAreCountedAsTheLastOne() {
    responses.onSubscribe(new Model());
    responses.request(5_000);
    for (int i = 0; i < 3_000; i++) {
      responses.onNext(response(false));
    }
    assertThat(counted()).hasSize(1_024);
    assertThat(counted().getLast().success().count()).isEqualTo(3_000 - 1_023);
  }
}
