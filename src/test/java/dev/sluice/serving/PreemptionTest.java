package dev.sluice.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.inference.Deadline;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ParameterValue;
import dev.sluice.inference.RequestOptions;
import dev.sluice.inference.SequenceStep;
import dev.sluice.telemetry.meter.VersionMeter;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.testing.MaskedDecoder;
import dev.sluice.testing.MaskedDecoder.Positions;
import dev.sluice.testing.OnnxModelWriter;
import dev.sluice.testing.Polling;
import dev.sluice.testing.StreamReader;
import dev.sluice.testing.Tensors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Streams that give the memory of their caches up to those of a higher priority, and compute them
 * again. One of {@code n} tokens reserves 32 bytes for each of them, and for each step behind the
 * first.
 */
@Timeout(60)
class PreemptionTest {
  private static final int STEPS = 12;

  /** Memory for one stream whose prompt has 3 tokens. */
  private static final int ONE = 32 * (3 + STEPS - 1);

  private static final int HIGH = 1;
  private static final int LOW = 3;
  private static final String LEVELS = "priority_levels: 3\ndefault_priority_level: 3\n";

  @TempDir Path models;
  private @Nullable HeldDecoder decoder;
  private int proved;

  /** What the model's clock is ahead. */
  private final AtomicLong passedNanos = new AtomicLong();

  private void start(Positions positions, long memory, String stream, String model)
      throws IOException {
    Path folder =
        new MaskedDecoder(positions, OnnxModelWriter.FLOAT)
            .writeTo(
                models,
                "decoder",
                STEPS,
                "  cache_memory: %d\n%s\n%s".formatted(memory, stream, model));
    HeldDecoder.writeVocabulary(folder);
    Path settings = folder.resolve("model.yml");
    String limited = "steps: %d, time: 1h".formatted(STEPS);
    Files.writeString(settings, Files.readString(settings).replace("steps: " + STEPS, limited));
    decoder =
        new HeldDecoder(
            folder,
            HeldDecoder.config(folder),
            "input_ids",
            () -> System.nanoTime() + passedNanos.get());
    proved = decoder.held().shapes().size();
  }

  private void start(long memory) throws IOException {
    start(Positions.GIVEN, memory, "", LEVELS);
  }

  @AfterEach
  void nothingIsLeftOpenOrReserved() {
    decoder().close();
    assertThat(meter().cacheBytes()).isZero();
    assertThat(meter().cacheWaiting()).isZero();
  }

  private HeldDecoder decoder() {
    return Objects.requireNonNull(decoder);
  }

  private VersionMeter meter() {
    return decoder().model().meter();
  }

  private static RequestOptions sampled(int priority, long seed) {
    return new RequestOptions(
        priority,
        SequenceStep.NONE,
        Map.of(
            "temperature", new ParameterValue.Fraction(20),
            "seed", new ParameterValue.Whole(seed, false),
            "repetition_penalty", new ParameterValue.Fraction(1.3),
            "frequency_penalty", new ParameterValue.Fraction(0.5)));
  }

  private StreamReader stream(RequestOptions options, int length) {
    return decoder().stream(
        Deadline.NONE,
        options,
        HeldDecoder.tokens(Shape.of(1, length), HeldDecoder.prompt(length)));
  }

  private StreamReader stream(int priority, int length) {
    return stream(RequestOptions.ofPriority(priority), length);
  }

  private static List<Integer> tokens(StreamReader reader) throws Throwable {
    reader.ask(100).end();
    var tokens = new ArrayList<Integer>();
    while (reader.waiting() > 0) {
      tokens.add(Float.floatToRawIntBits(reader.next().getFirst()[0]));
    }
    return tokens;
  }

  /** What a stream says that no other one is in the way of. */
  private List<Integer> alone(RequestOptions options, int length) throws Throwable {
    List<Integer> alone = tokens(stream(options, length));
    assertThat(alone).hasSize(STEPS);
    return alone;
  }

  private List<Integer> alone(int length) throws Throwable {
    return alone(RequestOptions.ofPriority(LOW), length);
  }

  private List<String> runs() {
    return decoder().held().shapes().stream()
        .skip(proved)
        .map(shape -> shape.dim(0) + "x" + shape.dim(1))
        .toList();
  }

  private static List<String> runsOf(int prompt, int steps) {
    var runs = new ArrayList<>(List.of("1x" + prompt));
    runs.addAll(Collections.nCopies(steps, "1x1"));
    return runs;
  }

  /** A stream that has sent so much, and is not asked for more. */
  private StreamReader parked(StreamReader reader, int messages) {
    reader.ask(messages);
    Polling.await("it has sent what it was asked for", () -> reader.waiting() == messages);
    return reader;
  }

  private void awaitWaiting(int streams) {
    Polling.await("streams wait for memory", () -> meter().cacheWaiting() == streams);
  }

  @ParameterizedTest
  @EnumSource(names = {"GIVEN", "OF_MASK", "OF_LENGTH", "COMMON"})
  void aStreamOfAHigherPriorityTakesThePlaceOfAParkedOne(Positions positions) throws Throwable {
    start(positions, ONE, "", LEVELS);
    List<Integer> wanted = alone(3);
    List<Integer> other = alone(2);
    StreamReader low = parked(stream(LOW, 3), 4);
    assertThat(tokens(stream(HIGH, 2))).isEqualTo(other);
    assertThat(low.waiting()).isEqualTo(4);
    assertThat(meter().preemptions()).isEqualTo(1);
    assertThat(meter().cacheBytes()).isZero();
    assertThat(tokens(low)).isEqualTo(wanted);
    assertThat(runs()).endsWith(runsOf(3 + 4, STEPS - 5).toArray(String[]::new));
  }

  @Test
  void aStreamWhoseStepRunsGivesItsMemoryUpBehindIt() throws Throwable {
    start(ONE);
    List<Integer> wanted = alone(3);
    proved = decoder().held().shapes().size();
    decoder().held().hold();
    StreamReader low = stream(LOW, 3).ask(100);
    decoder().held().letGo(3);
    Polling.await("three steps have run", () -> low.waiting() == 3);
    decoder().held().awaitRun();
    StreamReader high = stream(HIGH, 3).ask(100);
    decoder().settle();
    decoder().held().open();
    assertThat(tokens(high)).isEqualTo(wanted);
    assertThat(tokens(low)).isEqualTo(wanted);
    // The worker that finds the other one waiting has this one's next step already.
    var runs = new ArrayList<>(runsOf(3, 4));
    runs.addAll(runsOf(3, STEPS - 1));
    runs.addAll(runsOf(3 + 5, STEPS - 6));
    assertThat(runs()).isEqualTo(runs);
  }

  @Test
  void aStreamWhoseStepWaitsGivesItsMemoryUpWithoutARun() throws Throwable {
    start(2 * ONE);
    List<Integer> wanted = alone(3);
    StreamReader low = parked(stream(LOW, 3), 2);
    decoder().held().hold();
    decoder().block();
    low.ask(100);
    StreamReader high = stream(HIGH, 3).ask(100);
    StreamReader leaving = stream(LOW, 3).ask(1);
    decoder().settle();
    int before = runs().size();
    leaving.leave();
    Polling.await("it was preempted", () -> meter().preemptions() == 1);
    assertThat(runs()).hasSize(before);
    decoder().held().open();
    assertThat(tokens(high)).isEqualTo(wanted);
    assertThat(tokens(low)).isEqualTo(wanted);
  }

  @Test
  void theCachesAreComputedAgainInChunks() throws Throwable {
    start(Positions.GIVEN, 3 * ONE, "  prefill_chunk: 4", LEVELS);
    List<Integer> wanted = alone(18);
    StreamReader low = parked(stream(LOW, 18), 7);
    int before = runs().size();
    StreamReader high = parked(stream(HIGH, 31), 1);
    assertThat(meter().preemptions()).isEqualTo(1);
    high.leave();
    assertThat(tokens(low)).isEqualTo(wanted);
    assertThat(runs().subList(before, runs().size()))
        .as("what is kept was given up for the stream that came")
        .endsWith("1x4", "1x4", "1x4", "1x4", "1x4", "1x4", "1x1", "1x1", "1x1", "1x1", "1x1");
  }

  @Test
  void theCachesAreComputedAgainBehindThePrefixThatIsKept() throws Throwable {
    start(Positions.GIVEN, 1_700, "  prefill_chunk: 4", LEVELS);
    List<Integer> wanted = alone(18);
    StreamReader low = parked(stream(LOW, 18), 7);
    int before = runs().size();
    parked(stream(HIGH, 15), 1).leave();
    assertThat(meter().preemptions()).isEqualTo(1);
    assertThat(tokens(low)).isEqualTo(wanted);
    assertThat(runs().subList(before, runs().size()))
        .containsExactly("1x4", "1x4", "1x4", "1x3", "1x4", "1x3", "1x1", "1x1", "1x1", "1x1");
  }

  @Test
  void usageIsThatOfTheOwnPromptAlone() throws Throwable {
    start(Positions.GIVEN, 1_700, "  prefill_chunk: 4\n" + HeldDecoder.TEXT + "\n", LEVELS);
    decoder().asking("text", "prompt_tokens", "cached_tokens");
    assertThat(usage(text(LOW, 18))).containsExactly(18, 0);
    List<Integer> wanted = usage(text(LOW, 18));
    StreamReader low = parked(text(LOW, 18), 7);
    parked(text(HIGH, 15), 1).leave();
    assertThat(meter().preemptions()).isEqualTo(1);
    assertThat(usage(low)).isEqualTo(wanted);
    assertThat(wanted.getLast()).isBetween(1, 17);
  }

  private StreamReader text(int priority, int length) {
    return decoder().stream(
        Deadline.NONE, RequestOptions.ofPriority(priority), HeldDecoder.text(length));
  }

  /** Returns the numbers of the last message. */
  private static List<Integer> usage(StreamReader reader) throws Throwable {
    reader.ask(100).end();
    List<float[]> last = List.of();
    while (reader.waiting() > 0) {
      last = reader.next();
    }
    return last.stream().map(number -> Float.floatToRawIntBits(number[0])).toList();
  }

  /** Two streams of these priorities: the second one begins when the first has ended. */
  private void assertTheSecondWaits(int priority, int ofSecond) throws Throwable {
    List<Integer> wanted = alone(3);
    StreamReader first = parked(stream(priority, 3), 1);
    StreamReader second = stream(ofSecond, 3).ask(100);
    awaitWaiting(1);
    assertThat(tokens(first)).isEqualTo(wanted);
    assertThat(tokens(second)).isEqualTo(wanted);
    assertThat(meter().preemptions()).isZero();
  }

  @Test
  void aStreamIsNotPreemptedForOneOfItsOwnPriority() throws Throwable {
    start(ONE);
    assertTheSecondWaits(LOW, LOW);
  }

  @Test
  void nothingIsPreemptedWhereTheSettingsSaySo() throws Throwable {
    start(Positions.GIVEN, ONE, "  preemption: false", LEVELS);
    assertTheSecondWaits(LOW, HIGH);
    assertThat(decoder().model().streamAdvice().orElseThrow())
        .endsWith(
            "streams of lower priorities would be preempted without stream.preemption: false");
  }

  @Test
  void aModelWhoseCachesCannotBeComputedAgainIsNotPreempted() throws Throwable {
    start(Positions.OF_STEP, ONE, "", LEVELS);
    assertTheSecondWaits(LOW, HIGH);
    assertThat(decoder().model().streamAdvice().orElseThrow())
        .endsWith("streams are not preempted, for the same reason");
  }

  @Test
  void aStreamWithInputsOfItsOwnIsNotPreempted() throws Throwable {
    start(ONE);
    NamedTensor mask = new NamedTensor("attention_mask", Tensors.integers(Shape.of(1, 3), 0, 1, 1));
    StreamReader low =
        parked(
            decoder().stream(
                Deadline.NONE,
                RequestOptions.ofPriority(LOW),
                HeldDecoder.tokens(Shape.of(1, 3), HeldDecoder.prompt(3)),
                mask),
            1);
    StreamReader high = stream(HIGH, 3).ask(100);
    awaitWaiting(1);
    assertThat(meter().preemptions()).isZero();
    low.leave();
    assertThat(tokens(high)).hasSize(STEPS);
  }

  @Test
  void randomChoicesAndPenaltiesGoOnWhereTheyWere() throws Throwable {
    start(ONE);
    List<Integer> wanted = alone(sampled(LOW, 5), 3);
    assertThat(wanted).isNotEqualTo(alone(sampled(LOW, 6), 3));
    StreamReader low = stream(sampled(LOW, 5), 3);
    for (int i = 1; i < STEPS; i++) {
      int sent = i;
      low.ask(1);
      Polling.await("it goes on", () -> low.waiting() == sent);
      assertThat(tokens(stream(HIGH, 3))).hasSize(STEPS);
    }
    assertThat(meter().preemptions()).isEqualTo(STEPS - 1);
    assertThat(tokens(low)).isEqualTo(wanted);
  }

  @Test
  void aStreamThatWasPreemptedGoesOnBeforeOthersOfItsPriority() throws Throwable {
    start(ONE);
    List<Integer> wanted = alone(3);
    StreamReader low = parked(stream(LOW, 3), 2);
    StreamReader other = stream(LOW, 3).ask(100);
    awaitWaiting(1);
    StreamReader high = parked(stream(HIGH, 3), 1);
    low.ask(1);
    awaitWaiting(2);
    high.leave();
    Polling.await("it goes on", () -> low.waiting() == 3);
    assertThat(other.waiting()).isZero();
    assertThat(tokens(low)).isEqualTo(wanted);
    assertThat(tokens(other)).isEqualTo(wanted);
  }

  @Test
  void whoLeavesWhilePreemptedLeavesNothing() throws Throwable {
    start(ONE);
    StreamReader waiting = parked(stream(LOW, 3), 2);
    StreamReader high = parked(stream(HIGH, 3), 1);
    waiting.ask(1);
    awaitWaiting(1);
    waiting.leave();
    awaitWaiting(0);
    high.leave();
    StreamReader second = parked(stream(LOW, 3), 2);
    parked(stream(HIGH, 3), 1).leave();
    second.leave();
    assertThat(tokens(stream(LOW, 3))).hasSize(STEPS);
  }

  @Test
  void theTimeOfAStreamStandsStillWhileItIsPreempted() throws Throwable {
    start(ONE);
    List<Integer> wanted = alone(3);
    StreamReader low = parked(stream(LOW, 3), 4);
    StreamReader high = parked(stream(HIGH, 3), 1);
    passedNanos.addAndGet(Duration.ofHours(2).toNanos());
    high.leave();
    assertThat(tokens(low)).isEqualTo(wanted);
    StreamReader late = parked(stream(LOW, 3), 4);
    passedNanos.addAndGet(Duration.ofHours(2).toNanos());
    assertThat(tokens(late)).as("without a pause").isEqualTo(wanted.subList(0, 5));
  }

  @Test
  void aDeadlineThatPassesWhilePreemptedEndsTheStream() throws Throwable {
    start(ONE);
    StreamReader low =
        parked(
            decoder().stream(
                Deadline.after(Duration.ofSeconds(2), System.nanoTime()),
                RequestOptions.ofPriority(LOW),
                HeldDecoder.tokens(Shape.of(1, 3), HeldDecoder.prompt(3))),
            1);
    StreamReader high = parked(stream(HIGH, 3), 1);
    low.ask(100);
    awaitWaiting(1);
    assertThatThrownBy(low::end)
        .isInstanceOfSatisfying(
            InferenceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.DEADLINE_EXCEEDED));
    awaitWaiting(0);
    assertThat(tokens(high)).hasSize(STEPS);
  }

  @Test
  void aStreamWhosePromptRunsIsPreemptedBehindIt() throws Throwable {
    start(Positions.GIVEN, 2 * ONE, "  prefill_chunk: 4\n  prefixes: { shared_by: none }", LEVELS);
    List<Integer> wanted = alone(15);
    proved = decoder().held().shapes().size();
    decoder().held().hold();
    StreamReader low = stream(LOW, 15).ask(100);
    decoder().held().awaitRun();
    StreamReader high = stream(HIGH, 3).ask(100);
    decoder().settle();
    decoder().held().open();
    assertThat(tokens(high)).hasSize(STEPS);
    assertThat(tokens(low)).isEqualTo(wanted);
    assertThat(runs()).startsWith("1x4", "1x4", "1x4", "1x3", "1x3");
    assertThat(meter().preemptions()).isEqualTo(1);
  }

  @Test
  void manyStreamsOfAllPrioritiesSayWhatTheySayAlone() throws Throwable {
    start(Positions.GIVEN, 3 * ONE, "  prefill_chunk: 5", LEVELS + "max_queued_requests: 1000");
    var random = new SplittableRandom(11);
    var wanted = new HashMap<Integer, List<Integer>>();
    for (int i = 0; i < 20; i++) {
      wanted.put(i, alone(options(i, LOW), length(i)));
    }
    var kinds = new HashMap<StreamReader, Integer>();
    var lower = new ArrayList<StreamReader>();
    var left = new HashSet<StreamReader>();
    for (int round = 0; round < 10; round++) {
      var high = new ArrayList<StreamReader>();
      for (int i = 0; i < 20; i++) {
        int priority = 1 + random.nextInt(3);
        StreamReader reader = stream(options(i, priority), length(i));
        (priority == HIGH ? high : lower).add(reader.ask(1 + random.nextInt(STEPS)));
        kinds.put(reader, i);
      }
      left.add(lower.get(random.nextInt(lower.size())).ask(3).leave());
      lower.forEach(reader -> reader.ask(random.nextInt(2) + 1));
      high.forEach(reader -> reader.ask(100));
      for (StreamReader reader : high) {
        assertThat(tokens(reader)).isEqualTo(wanted.get(kinds.get(reader)));
      }
      Polling.await("others have begun", () -> meter().cacheBytes() > 0);
    }
    lower.forEach(reader -> reader.ask(100));
    for (StreamReader reader : lower) {
      if (!left.contains(reader)) {
        assertThat(tokens(reader)).isEqualTo(wanted.get(kinds.get(reader)));
      }
    }
    assertThat(meter().preemptions()).isPositive();
  }

  private static RequestOptions options(int kind, int priority) {
    return kind % 2 == 0 ? RequestOptions.ofPriority(priority) : sampled(priority, kind);
  }

  private static int length(int kind) {
    return 1 + kind % 16;
  }
}
