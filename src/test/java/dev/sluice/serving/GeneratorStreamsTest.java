package dev.sluice.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.model.BatchingConfig;
import dev.sluice.config.model.GeneratorConfig;
import dev.sluice.config.model.ModelConfig;
import dev.sluice.config.model.StreamConfig;
import dev.sluice.inference.InferenceException;
import dev.sluice.testing.FakeSession;
import dev.sluice.testing.StreamReader;
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
      new GeneratorConfig.Stop(List.of(), Optional.empty(), 5, 5, Duration.ZERO);

  private static final BatchingConfig JOINING =
      new BatchingConfig(8, true, Duration.ZERO, List.of(), List.of());

  private final AtomicLong clock = new AtomicLong(1);
  private final StreamedModel fake = new StreamedModel(List.of(), clock::get);
  private final FakeSession session = fake.session();

  @BeforeEach
  void start() {
    start(FIVE_STEPS, List.of());
  }

  private void start(GeneratorConfig.Stop stop, List<String> emit) {
    start(loop(stop, emit), BatchingConfig.DEFAULT);
  }

  private void start(GeneratorConfig loop, BatchingConfig batching) {
    fake.start(
        new StreamConfig(0, true, 100, Optional.of(loop)), batching, ModelConfig.DEFAULT.queue());
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

  @AfterEach
  void nothingIsLeftOpen() {
    fake.close();
  }

  @Test
  void eachStepTakesWhatTheOneBeforeGave() throws Throwable {
    StreamReader reader = fake.stream(10).ask(100).end();
    for (float x = 10; x < 15; x++) {
      assertThat(reader.next().getFirst()).containsExactly(2 * x);
    }
    assertThat(reader.waiting()).isZero();
    assertThat(reader.hadLast()).isTrue();
  }

  @Test
  void whatIsFedBackMayBeSentToo() throws Throwable {
    start(FIVE_STEPS, List.of("y", "doubled"));
    StreamReader reader = fake.stream(10).ask(100).end();
    List<float[]> first = reader.next();
    assertThat(first.getFirst()).containsExactly(11);
    assertThat(first.getLast()).containsExactly(20);
    List<float[]> second = reader.next();
    assertThat(second.getFirst()).containsExactly(12);
    assertThat(second.getLast()).containsExactly(22);
  }

  @Test
  void theModelShowsWhatIsSentAndWhatMayBeLeftOut() {
    assertThat(fake.model().metadata().signature("").orElseThrow().outputs())
        .singleElement()
        .satisfies(output -> assertThat(output.name()).isEqualTo("doubled"));
  }

  @Test
  void anOutputThatIsNotZeroEndsTheStream() throws Throwable {
    var stop = new GeneratorConfig.Stop(List.of(), Optional.of("y"), 50, 50, Duration.ZERO);
    start(stop, List.of());
    StreamReader reader = fake.stream(-3).ask(100).end();
    assertThat(reader.waiting()).isEqualTo(1);
    fake.stream(-1).ask(100).end();
    assertThat(session.runs()).isEqualTo(3);
  }

  @Test
  void timeEndsTheStreamWithItsLastStep() throws Throwable {
    var stop = new GeneratorConfig.Stop(List.of(), Optional.empty(), 50, 50, Duration.ofNanos(500));
    start(stop, List.of());
    StreamReader reader = fake.stream(1).ask(1);
    reader.next();
    clock.set(1_000);
    reader.ask(10).end();
    assertThat(reader.waiting()).isEqualTo(1);
    assertThat(reader.hadLast()).isTrue();
  }

  @Test
  void streamsThatAreUnderWayAdvanceTogetherAndApart() throws Throwable {
    start(loop(FIVE_STEPS, List.of()), JOINING);
    CountDownLatch gate = session.hold();
    StreamReader first = fake.stream(10).ask(100);
    session.awaitRun();
    StreamReader second = fake.stream(20).ask(100);
    StreamReader third = fake.stream(30, 40).ask(100);
    fake.onLoop(gate::countDown);
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
    start(loop(FIVE_STEPS, List.of()), JOINING);
    StreamReader poisoned = fake.stream(FakeSession.POISON - 2).ask(100);
    StreamReader healthy = fake.stream(1).ask(100);
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
