package dev.sluice.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.model.BatchingConfig;
import dev.sluice.config.model.QueueConfig;
import dev.sluice.config.model.StreamConfig;
import dev.sluice.inference.Deadline;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.testing.FakeSession;
import dev.sluice.testing.StreamReader;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests of many rows that are answered group by group, over a fake session. */
class RowStreamsTest {
  private static final QueueConfig EIGHT = queue(8);

  private final StreamedModel fake = new StreamedModel(List.of("y"), System::nanoTime);
  private final FakeSession session = fake.session();

  @BeforeEach
  void start() {
    fake.start(new StreamConfig(2, false, 3, Optional.empty()), BatchingConfig.DEFAULT, EIGHT);
  }

  private static QueueConfig queue(int most) {
    return new QueueConfig(most, Duration.ZERO, 1, 1);
  }

  @AfterEach
  void nothingIsLeftOpen() {
    fake.close();
  }

  @Test
  void rowsAreAnsweredGroupByGroupInOrderAndTheLastIsMarked() throws Throwable {
    StreamReader reader = fake.stream(1, 2, 3, 4, 5).ask(100).end();
    assertThat(reader.next().getFirst()).containsExactly(2, 3);
    assertThat(reader.next().getFirst()).containsExactly(4, 5);
    assertThat(reader.next().getFirst()).containsExactly(6);
    assertThat(reader.waiting()).isZero();
    assertThat(reader.hadLast()).isTrue();
    assertThat(session.sizes()).containsExactly(2L, 2L, 1L);
  }

  @Test
  void aRequestWithoutRowsHasOneResponseWithoutRows() throws Throwable {
    StreamReader reader = fake.stream().ask(1);
    assertThat(reader.next().getFirst()).isEmpty();
    reader.end();
    assertThat(session.sizes()).containsExactly(0L);
  }

  @Test
  void theModelWorksNoFurtherThanItsReaderAsks() throws Throwable {
    StreamReader reader = fake.stream(1, 2, 3, 4, 5).ask(1);
    assertThat(reader.next().getFirst()).containsExactly(2, 3);
    // What comes later in the queue has run by now, so the stream has had its turn.
    fake.submit(fake.request(Deadline.NONE, 9))
        .toCompletionStage()
        .toCompletableFuture()
        .join()
        .close();
    assertThat(session.sizes()).containsExactly(2L, 1L);
    reader.ask(2).end();
    assertThat(reader.waiting()).isEqualTo(2);
  }

  @Test
  void aReaderThatCancelsWhileTheModelRunsIsSentNothingAndTheRunIsStopped() throws Exception {
    session.hold();
    StreamReader reader = fake.stream(1, 2, 3, 4).ask(10);
    session.awaitRun();
    reader.leave();
    session.awaitInterrupt();
    fake.submit(fake.request(Deadline.NONE, 9))
        .toCompletionStage()
        .toCompletableFuture()
        .join()
        .close();
    assertThat(session.sizes()).containsExactly(2L, 1L);
    assertThat(reader.waiting()).isZero();
  }

  @Test
  void aReaderThatCancelsWhileTheStreamWaitsForItFreesEverything() throws Throwable {
    StreamReader reader = fake.stream(1, 2, 3, 4).ask(1);
    reader.next();
    reader.leave();
    fake.stream(1).ask(1).end();
    assertThat(fake.leases()).isZero();
  }

  @Test
  void aReaderWhoNeverAsksCostsNothing() throws Throwable {
    fake.stream(1, 2, 3).leave();
    fake.stream(1).ask(1).end();
    assertThat(session.runs()).isEqualTo(1);
  }

  @Test
  void aFailureInTheMiddleComesAfterWhatWasAnswered() throws Throwable {
    StreamReader reader = fake.stream(1, 2, FakeSession.POISON, 4, 5).ask(10);
    assertThatThrownBy(reader::end).isInstanceOf(InferenceException.class).hasMessage("poison");
    assertThat(reader.waiting()).isEqualTo(1);
    assertThat(session.runs()).isEqualTo(2);
  }

  @Test
  void aStreamWhoseReaderIsTooSlowForItsDeadlineFails() throws Throwable {
    Deadline soon = Deadline.at(System.nanoTime() + 20_000_000);
    StreamReader reader = fake.stream(fake.request(soon, 1, 2, 3)).ask(1);
    assertThatThrownBy(reader::end).hasMessageContaining("Request timeout expired");
    assertThat(fake.leases()).isZero();
  }

  @Test
  void moreStreamsThanTheSettingsAllowAreRefused() throws Throwable {
    List<StreamReader> open = List.of(fake.stream(1), fake.stream(2), fake.stream(3));
    StreamReader fourth = fake.stream(4).ask(1);
    assertThatThrownBy(fourth::end)
        .hasMessage("model 'fake' has 3 streams already (setting stream.max_streams)");
    open.getFirst().leave();
    fake.stream(5).ask(1).end();
    open.forEach(StreamReader::leave);
  }

  @Test
  void aStreamThatHasBegunIsNeverRefusedForAFullQueue() throws Throwable {
    fake.start(new StreamConfig(1, false, 9, Optional.empty()), BatchingConfig.DEFAULT, queue(1));
    CountDownLatch gate = session.hold();
    StreamReader reader = fake.stream(1, 2, 3).ask(10);
    session.awaitRun();
    Future<InferenceResponse> waiting = fake.submit(fake.request(Deadline.NONE, 8));
    Future<InferenceResponse> refused = fake.submit(fake.request(Deadline.NONE, 9));
    assertThatThrownBy(() -> refused.toCompletionStage().toCompletableFuture().join())
        .hasMessageContaining("Exceeds maximum queue size");
    gate.countDown();
    assertThat(reader.end().waiting()).isEqualTo(3);
    waiting.toCompletionStage().toCompletableFuture().join().close();
  }

  @Test
  void streamsTakeTurns() throws Throwable {
    CountDownLatch gate = session.hold();
    StreamReader first = fake.stream(1, 2, 3, 4).ask(10);
    session.awaitRun();
    StreamReader other = fake.stream(10, 20, 30).ask(10);
    fake.submit(fake.request(Deadline.NONE, 9)).onSuccess(InferenceResponse::close);
    fake.onLoop(gate::countDown);
    first.end();
    other.end();
    // A long stream would otherwise have run to its end before the others.
    assertThat(session.sizes()).containsExactly(2L, 2L, 1L, 2L, 1L);
  }

  @Test
  void stepsOfSeveralStreamsJoinInOneRun() throws Throwable {
    var joining = new BatchingConfig(8, true, Duration.ZERO, List.of(), List.of());
    fake.start(new StreamConfig(1, false, 9, Optional.empty()), joining, queue(9));
    CountDownLatch gate = session.hold();
    StreamReader first = fake.stream(1, 2, 3).ask(10);
    session.awaitRun();
    StreamReader second = fake.stream(10, 20, 30).ask(10);
    StreamReader third = fake.stream(100, 200, 300).ask(10);
    fake.onLoop(gate::countDown);
    assertThat(first.end().waiting()).isEqualTo(3);
    second.end();
    third.end();
    assertThat(second.next().getFirst()).containsExactly(11);
    assertThat(second.next().getFirst()).containsExactly(21);
    assertThat(session.sizes()).containsExactly(1L, 3L, 3L, 2L);
  }

  @Test
  void aStreamUnderWayHasNoBatchDelay() throws Throwable {
    var patient = new BatchingConfig(8, true, Duration.ofMillis(50), List.of(), List.of());
    fake.start(new StreamConfig(1, false, 9, Optional.empty()), patient, queue(9));
    long before = System.nanoTime();
    fake.stream(new float[40]).ask(100).end();
    assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(1));
  }

  @Test
  void aReaderThatFailsIsLeftAlone() throws Throwable {
    fake.onLoop(() -> fake.stream(fake.request(Deadline.NONE, 1, 2, 3), new FailingReader()));
    fake.stream(1).ask(1).end();
    fake.stream(1).ask(1).end();
    assertThat(fake.leases()).isZero();
  }

  /** Does not expect what it asked for. */
  private static final class FailingReader implements Flow.Subscriber<InferenceResponse> {
    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      subscription.request(1);
    }

    @Override
    public void onNext(InferenceResponse response) {
      response.close();
      throw new IllegalStateException("unexpected");
    }

    @Override
    public void onError(Throwable failure) {
      throw new IllegalStateException(failure);
    }

    @Override
    public void onComplete() {
      throw new IllegalStateException("unexpected");
    }
  }
}
