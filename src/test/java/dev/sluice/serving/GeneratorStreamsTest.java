package dev.sluice.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.BatchingConfig;
import dev.sluice.config.GeneratorConfig;
import dev.sluice.config.ModelConfig;
import dev.sluice.config.StreamConfig;
import dev.sluice.inference.Deadline;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
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
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A step function that adds one, run in a loop. */
class GeneratorStreamsTest {
  private static final GeneratorConfig.Stop FIVE_STEPS =
      new GeneratorConfig.Stop(List.of(), Optional.empty(), 5, Duration.ZERO);

  private final Vertx vertx = Vertx.vertx();
  private final FakeSession session = new FakeSession();
  private final AtomicLong clock = new AtomicLong(1);
  private final LentModel loan = new LentModel(new ModelId("fake", 1), FakeSession.METADATA);
  private final Telemetry telemetry = Telemetry.unseen();
  private long blocksBefore;
  private Context home;
  private ServableModel model;

  @BeforeEach
  void start() {
    blocksBefore = TensorMemory.openBlocks();
    home = vertx.getOrCreateContext();
    model = start(loop(FIVE_STEPS, List.of()), BatchingConfig.DEFAULT);
  }

  private static GeneratorConfig loop(GeneratorConfig.Stop stop, List<String> emit) {
    return new GeneratorConfig(
        Map.of("y", "x"),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        stop,
        emit,
        Optional.empty());
  }

  private ServableModel start(GeneratorConfig loop, BatchingConfig batching) {
    ModelConfig defaults = ModelConfig.DEFAULT;
    var config =
        new ModelConfig(
            defaults.versionPolicy(),
            defaults.labels(),
            batching,
            defaults.queue(),
            1,
            defaults.admission(),
            false,
            defaults.explain(),
            defaults.runtimes(),
            new StreamConfig(0, true, 100, Optional.of(loop)),
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
        clock::get);
  }

  private void restart(GeneratorConfig.Stop stop, List<String> emit) {
    model.close();
    model = start(loop(stop, emit), BatchingConfig.DEFAULT);
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
        model.metadata().signature("").orElseThrow(),
        List.of(new NamedTensor("x", Tensors.floats(Shape.of(x.length), x))),
        List.of(),
        deadline,
        "r");
  }

  private StreamReader stream(float... x) {
    InferenceRequest request = request(Deadline.NONE, x);
    return StreamReader.open(home, reader -> model.streams().stream(request, reader));
  }

  @Test
  void eachStepTakesWhatTheOneBeforeGave() throws Throwable {
    StreamReader reader = stream(10).ask(100).end();
    for (float x = 10; x < 15; x++) {
      assertThat(reader.next().getFirst()).containsExactly(2 * x);
    }
    assertThat(reader.waiting()).isZero();
    assertThat(reader.hadLast()).isTrue();
  }

  @Test
  void whatIsFedBackMayBeSentToo() throws Throwable {
    restart(FIVE_STEPS, List.of("y", "doubled"));
    StreamReader reader = stream(10).ask(100).end();
    List<float[]> first = reader.next();
    assertThat(first.getFirst()).containsExactly(11);
    assertThat(first.getLast()).containsExactly(20);
    List<float[]> second = reader.next();
    assertThat(second.getFirst()).containsExactly(12);
    assertThat(second.getLast()).containsExactly(22);
  }

  @Test
  void theModelShowsWhatIsSentAndWhatMayBeLeftOut() {
    assertThat(model.metadata().signature("").orElseThrow().outputs())
        .singleElement()
        .satisfies(output -> assertThat(output.name()).isEqualTo("doubled"));
  }

  @Test
  void anOutputThatIsNotZeroEndsTheStream() throws Throwable {
    var stop = new GeneratorConfig.Stop(List.of(), Optional.of("y"), 50, Duration.ZERO);
    restart(stop, List.of());
    StreamReader reader = stream(-3).ask(100).end();
    assertThat(reader.waiting()).isEqualTo(1);
    stream(-1).ask(100).end();
    assertThat(session.runs()).isEqualTo(3);
  }

  @Test
  void timeEndsTheStreamWithItsLastStep() throws Throwable {
    var stop = new GeneratorConfig.Stop(List.of(), Optional.empty(), 50, Duration.ofNanos(500));
    restart(stop, List.of());
    StreamReader reader = stream(1).ask(1);
    reader.next();
    clock.set(1_000);
    reader.ask(10).end();
    assertThat(reader.waiting()).isEqualTo(1);
    assertThat(reader.hadLast()).isTrue();
  }

  @Test
  void streamsThatAreUnderWayAdvanceTogetherAndApart() throws Throwable {
    model.close();
    var joining = new BatchingConfig(8, true, Duration.ZERO, List.of(), List.of());
    model = start(loop(FIVE_STEPS, List.of()), joining);
    CountDownLatch gate = session.hold();
    StreamReader first = stream(10).ask(100);
    session.awaitRun();
    StreamReader second = stream(20).ask(100);
    StreamReader third = stream(30, 40).ask(100);
    home.runOnContext(_ -> gate.countDown());
    first.end();
    second.end();
    third.end();
    for (float step = 0; step < 5; step++) {
      assertThat(first.next().getFirst()).containsExactly(20 + 2 * step);
      assertThat(second.next().getFirst()).containsExactly(40 + 2 * step);
      assertThat(third.next().getFirst()).containsExactly(60 + 2 * step, 80 + 2 * step);
    }
    assertThat(session.sizes()).containsExactly(1L, 4L, 4L, 4L, 4L, 3L);
  }

  @Test
  void aStepThatFailsEndsTheStreamAndLeavesItsNeighboursAlone() throws Throwable {
    model.close();
    var joining = new BatchingConfig(8, true, Duration.ZERO, List.of(), List.of());
    model = start(loop(FIVE_STEPS, List.of()), joining);
    StreamReader poisoned = stream(FakeSession.POISON - 2).ask(100);
    StreamReader healthy = stream(1).ask(100);
    assertThatThrownBy(poisoned::end).hasMessage("poison");
    assertThat(poisoned.waiting()).isEqualTo(2);
    assertThat(healthy.end().waiting()).isEqualTo(5);
  }

  @Test
  void settingsThatNameWhatTheModelLacksAreRefused() {
    var wrong =
        new GeneratorConfig(
            Map.of("z*", "x*"),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            FIVE_STEPS,
            List.of(),
            Optional.empty());
    assertThatThrownBy(() -> start(wrong, BatchingConfig.DEFAULT))
        .isInstanceOf(InferenceException.class)
        .hasMessage("stream.feedback: the model has no output z*; it has [y, doubled]");
  }
}
