package dev.sluice.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.BatchingConfig;
import dev.sluice.config.ModelConfig;
import dev.sluice.config.QueueConfig;
import dev.sluice.config.StreamConfig;
import dev.sluice.inference.Deadline;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelId;
import dev.sluice.telemetry.Telemetry;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorMemory;
import dev.sluice.testing.FakeSession;
import dev.sluice.testing.LentModel;
import dev.sluice.testing.StreamReader;
import dev.sluice.testing.Tensors;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests of many rows that are answered group by group, over a fake session. */
class RowStreamsTest {
  private final Vertx vertx = Vertx.vertx();
  private final FakeSession session = new FakeSession();
  private final LentModel loan = new LentModel(new ModelId("fake", 1), FakeSession.METADATA);
  private final Telemetry telemetry = Telemetry.unseen();
  private long blocksBefore;
  private Context home;
  private ServableModel model;

  @BeforeEach
  void start() {
    blocksBefore = TensorMemory.openBlocks();
    home = vertx.getOrCreateContext();
    model = start(new StreamConfig(2, false, 3, Optional.empty()), BatchingConfig.DEFAULT, 8);
  }

  private ServableModel start(StreamConfig stream, BatchingConfig batching, int queued) {
    ModelConfig defaults = ModelConfig.DEFAULT;
    var config =
        new ModelConfig(
            defaults.versionPolicy(),
            defaults.labels(),
            batching,
            new QueueConfig(queued, Duration.ZERO, 1, 1),
            1,
            defaults.admission(),
            false,
            defaults.explain(),
            defaults.runtimes(),
            stream,
            Optional.empty(),
            defaults.classLabels(),
            defaults.sequence(),
            false,
            Map.of(),
            1);
    return ServableModel.start(
        session.metadata(),
        List.of(session),
        config,
        telemetry.version(loan.id()),
        "test-model",
        vertx,
        System::nanoTime);
  }

  @AfterEach
  void nothingIsLeftOpen() {
    model.close();
    vertx.close().toCompletionStage().toCompletableFuture().join();
    assertThat(loan.loans()).isZero();
    assertThat(TensorMemory.openBlocks()).isEqualTo(blocksBefore);
  }

  private InferenceRequest request(Deadline deadline, float... x) {
    return new InferenceRequest(
        loan.lend(),
        FakeSession.SIGNATURE,
        List.of(new NamedTensor("x", Tensors.floats(Shape.of(x.length), x))),
        List.of("y"),
        deadline,
        "r");
  }

  private StreamReader stream(float... x) {
    return stream(request(Deadline.NONE, x));
  }

  private StreamReader stream(InferenceRequest request) {
    return StreamReader.open(home, reader -> model.streams().stream(request, reader));
  }

  private Future<InferenceResponse> submit(InferenceRequest request) {
    Promise<InferenceResponse> answer = Promise.promise();
    home.runOnContext(_ -> model.scheduler().submit(request).onComplete(answer));
    return answer.future();
  }

  @Test
  void rowsAreAnsweredGroupByGroupInOrderAndTheLastIsMarked() throws Throwable {
    StreamReader reader = stream(1, 2, 3, 4, 5).ask(100).end();
    assertThat(reader.next().getFirst()).containsExactly(2, 3);
    assertThat(reader.next().getFirst()).containsExactly(4, 5);
    assertThat(reader.next().getFirst()).containsExactly(6);
    assertThat(reader.waiting()).isZero();
    assertThat(reader.hadLast()).isTrue();
    assertThat(session.sizes()).containsExactly(2L, 2L, 1L);
  }

  @Test
  void aRequestWithoutRowsEndsWithoutAResponse() throws Throwable {
    assertThat(stream().ask(1).end().waiting()).isZero();
    assertThat(session.runs()).isZero();
  }

  @Test
  void theModelWorksNoFurtherThanItsReaderAsks() throws Throwable {
    StreamReader reader = stream(1, 2, 3, 4, 5).ask(1);
    assertThat(reader.next().getFirst()).containsExactly(2, 3);
    // What comes later in the queue has run by now, so the stream has had its turn.
    submit(request(Deadline.NONE, 9)).toCompletionStage().toCompletableFuture().join().close();
    assertThat(session.sizes()).containsExactly(2L, 1L);
    reader.ask(2).end();
    assertThat(reader.waiting()).isEqualTo(2);
  }

  @Test
  void aReaderWhoLeavesWhileTheModelRunsIsSentNothingAndTheRunIsStopped() throws Exception {
    session.hold();
    StreamReader reader = stream(1, 2, 3, 4).ask(10);
    session.awaitRun();
    reader.leave();
    session.awaitInterrupt();
    submit(request(Deadline.NONE, 9)).toCompletionStage().toCompletableFuture().join().close();
    assertThat(session.sizes()).containsExactly(2L, 1L);
    assertThat(reader.waiting()).isZero();
  }

  @Test
  void aReaderWhoLeavesWhileTheStreamWaitsForItFreesEverything() throws Throwable {
    StreamReader reader = stream(1, 2, 3, 4).ask(1);
    reader.next();
    reader.leave();
    stream(1).ask(1).end();
    assertThat(loan.loans()).isZero();
  }

  @Test
  void aReaderWhoNeverAsksCostsNothing() throws Throwable {
    stream(1, 2, 3).leave();
    stream(1).ask(1).end();
    assertThat(session.runs()).isEqualTo(1);
  }

  @Test
  void aFailureInTheMiddleComesAfterWhatWasAnswered() throws Throwable {
    StreamReader reader = stream(1, 2, FakeSession.POISON, 4, 5).ask(10);
    assertThatThrownBy(reader::end).isInstanceOf(InferenceException.class).hasMessage("poison");
    assertThat(reader.waiting()).isEqualTo(1);
    assertThat(session.runs()).isEqualTo(2);
  }

  @Test
  void aStreamWhoseReaderIsTooSlowForItsDeadlineFails() throws Throwable {
    Deadline soon = Deadline.at(System.nanoTime() + 20_000_000);
    StreamReader reader = stream(request(soon, 1, 2, 3)).ask(1);
    assertThatThrownBy(reader::end).hasMessageContaining("Request timeout expired");
    assertThat(loan.loans()).isZero();
  }

  @Test
  void moreStreamsThanTheSettingsAllowAreRefused() throws Throwable {
    List<StreamReader> open = List.of(stream(1), stream(2), stream(3));
    StreamReader fourth = stream(4).ask(1);
    assertThatThrownBy(fourth::end)
        .hasMessage("model 'fake' has 3 streams already (setting stream.max_streams)");
    open.getFirst().leave();
    stream(5).ask(1).end();
    open.forEach(StreamReader::leave);
  }

  @Test
  void aStreamThatHasBegunIsNeverRefusedForAFullQueue() throws Throwable {
    model.close();
    model = start(new StreamConfig(1, false, 9, Optional.empty()), BatchingConfig.DEFAULT, 1);
    CountDownLatch gate = session.hold();
    StreamReader reader = stream(1, 2, 3).ask(10);
    session.awaitRun();
    Future<InferenceResponse> waiting = submit(request(Deadline.NONE, 8));
    Future<InferenceResponse> refused = submit(request(Deadline.NONE, 9));
    assertThatThrownBy(() -> refused.toCompletionStage().toCompletableFuture().join())
        .hasMessageContaining("Exceeds maximum queue size");
    gate.countDown();
    assertThat(reader.end().waiting()).isEqualTo(3);
    waiting.toCompletionStage().toCompletableFuture().join().close();
  }

  @Test
  void streamsTakeTurns() throws Throwable {
    CountDownLatch gate = session.hold();
    StreamReader first = stream(1, 2, 3, 4).ask(10);
    session.awaitRun();
    StreamReader other = stream(10, 20, 30).ask(10);
    submit(request(Deadline.NONE, 9)).onSuccess(InferenceResponse::close);
    home.runOnContext(_ -> gate.countDown());
    first.end();
    other.end();
    // A long stream would otherwise have run to its end before the others.
    assertThat(session.sizes()).containsExactly(2L, 2L, 1L, 2L, 1L);
  }

  @Test
  void stepsOfSeveralStreamsJoinInOneRun() throws Throwable {
    model.close();
    var joining = new BatchingConfig(8, true, Duration.ZERO, List.of(), List.of());
    model = start(new StreamConfig(1, false, 9, Optional.empty()), joining, 9);
    CountDownLatch gate = session.hold();
    StreamReader first = stream(1, 2, 3).ask(10);
    session.awaitRun();
    StreamReader second = stream(10, 20, 30).ask(10);
    StreamReader third = stream(100, 200, 300).ask(10);
    home.runOnContext(_ -> gate.countDown());
    assertThat(first.end().waiting()).isEqualTo(3);
    second.end();
    third.end();
    assertThat(second.next().getFirst()).containsExactly(11);
    assertThat(second.next().getFirst()).containsExactly(21);
    assertThat(session.sizes()).containsExactly(1L, 3L, 3L, 2L);
  }

  @Test
  void aStreamThatHasBegunDoesNotWaitForCompany() throws Throwable {
    model.close();
    var patient = new BatchingConfig(8, true, Duration.ofMillis(50), List.of(), List.of());
    model = start(new StreamConfig(1, false, 9, Optional.empty()), patient, 9);
    long before = System.nanoTime();
    stream(new float[40]).ask(100).end();
    assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(1));
  }

  @Test
  void aReaderThatFailsIsLeftAlone() throws Throwable {
    home.runOnContext(
        _ -> model.streams().stream(request(Deadline.NONE, 1, 2, 3), new FailingReader()));
    stream(1).ask(1).end();
    stream(1).ask(1).end();
    assertThat(loan.loans()).isZero();
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
