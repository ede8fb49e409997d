package dev.sluice.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.sluice.config.ModelConfigReader;
import dev.sluice.config.SluiceConfig;
import dev.sluice.config.model.ModelConfig;
import dev.sluice.inference.Deadline;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.ModelId;
import dev.sluice.runtime.ModelSession;
import dev.sluice.scheduling.ratelimit.InstancePermit;
import dev.sluice.serving.stream.OpenStreams;
import dev.sluice.serving.stream.ResponseStream;
import dev.sluice.serving.stream.StreamMeter;
import dev.sluice.serving.worker.ConcurrencyMonitor;
import dev.sluice.serving.worker.ModelInstances;
import dev.sluice.serving.worker.WorkerPool;
import dev.sluice.telemetry.Telemetry;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorMemory;
import dev.sluice.testing.FakeModelLease;
import dev.sluice.testing.HeldSession;
import dev.sluice.testing.MaskedDecoder;
import dev.sluice.testing.MaskedDecoder.Positions;
import dev.sluice.testing.OnnxModelWriter;
import dev.sluice.testing.Polling;
import dev.sluice.testing.StreamReader;
import dev.sluice.testing.Tensors;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Streams of a decoder with an attention mask, whose lengths differ. */
@Timeout(60)
class StreamLengthsTest {
  private static final int STEPS = 6;

  /** Both are sent: the caches without the padding that they have beside longer ones. */
  private static final String SHOWN = "  emit: [logits, present.0.key]";

  @TempDir Path models;
  private final long blocksBefore = TensorMemory.openBlocks();
  private final Vertx vertx = Vertx.vertx();
  private final Context callerContext = vertx.getOrCreateContext();
  private @Nullable HeldSession session;
  private @Nullable ServableModel model;
  private @Nullable FakeModelLease lease;
  private @Nullable Path folder;
  private @Nullable StreamReader blocker;

  private void start(MaskedDecoder decoder, String settings) throws IOException {
    Path written = decoder.writeTo(models, "decoder", STEPS, settings);
    start(written, config(written));
  }

  private void start(Path files, ModelConfig config) {
    folder = files;
    session = new HeldSession(MaskedDecoder.open(files), "past_key_values.0.key");
    lease = new FakeModelLease(new ModelId("decoder", 1), session.metadata().withMaxBatchSize(64));
    model =
        ServableModel.start(
            session.metadata().withMaxBatchSize(64),
            new ModelInstances(
                List.of(session),
                List.of(InstancePermit.UNLIMITED),
                () -> MaskedDecoder.open(Objects.requireNonNull(folder))),
            config,
            Telemetry.unseen().version(lease.id()),
            new WorkerPool(
                vertx, "test-model", new ConcurrencyMonitor(vertx, 1), System::nanoTime));
  }

  private static ModelConfig config(Path folder) {
    return new ModelConfigReader(SluiceConfig.DEFAULT, warning -> fail(warning)).read(folder);
  }

  @AfterEach
  void nothingIsLeftOpen() {
    held().open();
    if (blocker != null) {
      blocker.leave();
      settle();
    }
    model().close();
    vertx.close().toCompletionStage().toCompletableFuture().join();
    assertThat(Objects.requireNonNull(lease).leases()).isZero();
    assertThat(TensorMemory.openBlocks()).isEqualTo(blocksBefore);
  }

  private HeldSession held() {
    return Objects.requireNonNull(session);
  }

  private ServableModel model() {
    return Objects.requireNonNull(model);
  }

  private static long[] prompt(int length) {
    var prompt = new long[length];
    for (int i = 0; i < length; i++) {
      prompt[i] = (length * 5L + i * 3L) % 32;
    }
    return prompt;
  }

  private StreamReader stream(int length) {
    return stream(tokens(Shape.of(1, length), prompt(length)));
  }

  private static NamedTensor tokens(Shape shape, long... ids) {
    return new NamedTensor("input_ids", Tensors.integers(shape, ids));
  }

  private StreamReader stream(NamedTensor... inputs) {
    var request =
        new InferenceRequest(
            Objects.requireNonNull(lease).acquire(),
            model().metadata().signature("").orElseThrow(),
            List.of(inputs),
            List.of(),
            Deadline.NONE,
            "r");
    return StreamReader.open(
        callerContext,
        reader -> {
          var stream =
              new ResponseStream(new OpenStreams(), StreamMeter.NONE, reader, callerContext);
          model().streams().stream(request, stream);
        });
  }

  /** Runs the prompts of streams one by one, and holds their first decode steps. */
  private StreamReader[] prefilled(int... lengths) throws InterruptedException {
    held().hold();
    var readers = new StreamReader[lengths.length];
    for (int i = 0; i < lengths.length; i++) {
      readers[i] = stream(lengths[i]).ask(1);
      held().letGo(1);
      StreamReader reader = readers[i];
      Polling.await("the prompt has run", () -> reader.waiting() == 1);
    }
    return readers;
  }

  /** Holds another stream's prompt in the model, so that all that is asked for waits behind it. */
  private void block() {
    blocker = stream(1).ask(1);
    held().awaitRun();
  }

  /** Waits until the event loop has done what it was asked for. */
  private void settle() {
    var done = new CompletableFuture<Void>();
    callerContext.runOnContext(_ -> done.complete(null));
    done.join();
  }

  private void assertSaysWhatALoopSays(StreamReader reader, int length) throws Throwable {
    reader.end();
    try (ModelSession bare = MaskedDecoder.open(Objects.requireNonNull(folder))) {
      List<float[]> logits = MaskedDecoder.loop(bare, STEPS, prompt(length));
      for (int step = 0; step < STEPS; step++) {
        List<float[]> sent = reader.next();
        assertThat(sent.getFirst())
            .as("length %d, step %d", length, step)
            .isEqualTo(logits.get(step));
        assertThat(sent.getLast()).hasSize((length + step) * 8);
      }
      assertThat(reader.waiting()).isZero();
    }
  }

  private static List<float[]> logits(StreamReader reader) throws Throwable {
    reader.end();
    var logits = new ArrayList<float[]>();
    while (reader.waiting() > 0) {
      logits.add(reader.next().getFirst());
    }
    return logits;
  }

  /** Runs a stream's prompt while its decode steps are to wait, then all of it beside others. */
  private List<float[]> besideOthers(NamedTensor... inputs) throws Throwable {
    StreamReader[] others = prefilled(12, 2);
    StreamReader reader = stream(inputs).ask(1);
    held().letGo(1);
    Polling.await("the prompt has run", () -> reader.waiting() == 1);
    block();
    reader.ask(100);
    others[0].ask(100);
    others[1].ask(100);
    settle();
    held().open();
    assertSaysWhatALoopSays(others[0], 12);
    assertSaysWhatALoopSays(others[1], 2);
    return logits(reader);
  }

  private List<Shape> decoded(int prompts) {
    return held().shapes().stream().skip(prompts).toList();
  }

  @ParameterizedTest
  @EnumSource(names = {"GIVEN", "OF_MASK"})
  void streamsOfDifferentLengthsAdvanceTogetherAndSayWhatEachSaysAlone(Positions positions)
      throws Throwable {
    start(new MaskedDecoder(positions, OnnxModelWriter.FLOAT), SHOWN);
    int proved = held().shapes().size();
    int[] lengths = {3, 9, 5, 1};
    StreamReader[] readers = prefilled(lengths);
    block();
    for (StreamReader reader : readers) {
      reader.ask(100);
    }
    settle();
    held().open();
    for (int i = 0; i < lengths.length; i++) {
      assertSaysWhatALoopSays(readers[i], lengths[i]);
    }
    assertThat(decoded(proved + 5))
        .containsExactly(
            Shape.of(4, 2, 9, 4),
            Shape.of(4, 2, 10, 4),
            Shape.of(4, 2, 11, 4),
            Shape.of(4, 2, 12, 4),
            Shape.of(4, 2, 13, 4));
  }

  @Test
  void rowsAreNoLongerThanTheLongestThatIsLeft() throws Throwable {
    start(new MaskedDecoder(Positions.GIVEN, OnnxModelWriter.FLOAT), SHOWN);
    int proved = held().shapes().size();
    StreamReader[] readers = prefilled(2, 20, 4);
    block();
    readers[0].ask(100);
    readers[1].ask(2);
    readers[2].ask(100);
    settle();
    held().letGo(3);
    StreamReader longest = readers[1];
    Polling.await("the longest has what it asked for", () -> longest.waiting() == 3);
    longest.leave();
    settle();
    held().open();
    assertSaysWhatALoopSays(readers[0], 2);
    assertSaysWhatALoopSays(readers[2], 4);
    assertThat(decoded(proved + 4))
        .startsWith(Shape.of(3, 2, 20, 4), Shape.of(3, 2, 21, 4), Shape.of(2, 2, 6, 4));
  }

  @Test
  void cachesOfHalfPrecisionAreJoined() throws Throwable {
    start(new MaskedDecoder(Positions.GIVEN, MaskedDecoder.FLOAT16), "  emit: [logits]");
    int proved = held().shapes().size();
    StreamReader[] readers = prefilled(3, 9);
    block();
    readers[0].ask(100);
    readers[1].ask(100);
    settle();
    held().open();
    readers[0].end();
    readers[1].end();
    assertThat(decoded(proved + 3)).hasSize(5).first().isEqualTo(Shape.of(2, 2, 9, 4));
  }

  @Test
  void lengthsThatDifferByMoreThanTheSettingRunApart() throws Throwable {
    start(new MaskedDecoder(Positions.GIVEN, OnnxModelWriter.FLOAT), SHOWN + "\n  max_padding: 4");
    int proved = held().shapes().size();
    StreamReader[] readers = prefilled(3, 9);
    block();
    readers[0].ask(100);
    readers[1].ask(100);
    settle();
    held().open();
    assertSaysWhatALoopSays(readers[0], 3);
    assertSaysWhatALoopSays(readers[1], 9);
    assertThat(decoded(proved + 3)).extracting(shape -> shape.dim(0)).containsOnly(1L);
  }

  @Test
  void aModelThatPaddingChangesRunsStreamsOfDifferentLengthsApart() throws Throwable {
    start(new MaskedDecoder(Positions.OF_LENGTH, OnnxModelWriter.FLOAT), SHOWN);
    assertThat(model().streamAdvice())
        .contains(
            "streams of different lengths run apart: left padding changes its output logits;"
                + " right padding changes its output logits");
    int proved = held().shapes().size();
    StreamReader[] readers = prefilled(3, 9);
    block();
    readers[0].ask(100);
    readers[1].ask(100);
    settle();
    held().open();
    assertSaysWhatALoopSays(readers[0], 3);
    assertSaysWhatALoopSays(readers[1], 9);
    assertThat(decoded(proved + 3)).extracting(shape -> shape.dim(0)).containsOnly(1L);
  }

  @Test
  void aModelWithOnePositionForAllRowsIsServedAndRunsStreamsApart() throws Throwable {
    start(new MaskedDecoder(Positions.COMMON, OnnxModelWriter.FLOAT), SHOWN);
    assertThat(model().streamAdvice())
        .contains(
            "streams of different lengths run apart: its input position_ids has no rows to join");
    StreamReader[] readers = prefilled(3, 9);
    readers[0].ask(100);
    readers[1].ask(100);
    held().open();
    assertSaysWhatALoopSays(readers[0], 3);
    assertSaysWhatALoopSays(readers[1], 9);
  }

  @Test
  void rowsOfOneStreamArePaddedTogether() throws Throwable {
    start(new MaskedDecoder(Positions.GIVEN, OnnxModelWriter.FLOAT), SHOWN);
    long[] ids = {3, 1, 4, 1, 5, 9, 2, 6};
    List<float[]> alone = logits(stream(tokens(Shape.of(2, 4), ids)).ask(100));
    assertThat(besideOthers(tokens(Shape.of(2, 4), ids)))
        .hasSize(STEPS)
        .usingRecursiveComparison()
        .isEqualTo(alone);
    assertThat(held().shapes()).contains(Shape.of(4, 2, 12, 4));
  }

  @Test
  void whatTheCallersMaskLeavesOutStaysLeftOutBesideOthers() throws Throwable {
    start(new MaskedDecoder(Positions.GIVEN, OnnxModelWriter.FLOAT), SHOWN);
    long[] mask = {0, 1, 0, 1};
    List<float[]> alone = logits(stream(masked(mask)).ask(100));
    assertThat(alone)
        .usingRecursiveComparison()
        .isNotEqualTo(logits(stream(masked(1, 1, 1, 1)).ask(100)));
    assertThat(besideOthers(masked(mask)))
        .hasSize(STEPS)
        .usingRecursiveComparison()
        .isEqualTo(alone);
    assertThat(held().shapes()).contains(Shape.of(3, 2, 12, 4));
  }

  private static NamedTensor[] masked(long... mask) {
    return new NamedTensor[] {
      tokens(Shape.of(1, 4), 3, 1, 4, 1),
      new NamedTensor("attention_mask", Tensors.integers(Shape.of(1, 4), mask))
    };
  }

  @Test
  void aBatchOfAnAllowedSizeIsFilledUp() throws Throwable {
    start(
        new MaskedDecoder(Positions.GIVEN, OnnxModelWriter.FLOAT),
        SHOWN + "\nallowed_batch_sizes: [1, 4, 64]");
    StreamReader[] readers = prefilled(3, 9, 5);
    block();
    for (StreamReader reader : readers) {
      reader.ask(100);
    }
    settle();
    held().open();
    assertSaysWhatALoopSays(readers[0], 3);
    assertSaysWhatALoopSays(readers[1], 9);
    assertSaysWhatALoopSays(readers[2], 5);
    assertThat(held().shapes()).contains(Shape.of(4, 2, 9, 4), Shape.of(4, 2, 13, 4));
  }

  @Test
  void checkSaysThatRowsOfGroupQueryAttentionArePaddedBehind() {
    Path chat = Path.of("src/sample/models/chat");
    start(chat.resolve("1"), config(chat));
    assertThat(model().streamAdvice().orElseThrow())
        .isEqualTo(
            "right padding does not change its answers:"
                + " streams of different lengths advance together");
  }

  @Test
  void checkSaysThatPaddingWasProved() throws IOException {
    start(new MaskedDecoder(Positions.OF_MASK, OnnxModelWriter.FLOAT), SHOWN);
    assertThat(model().streamAdvice().orElseThrow())
        .isEqualTo(
            "left padding does not change its answers:"
                + " streams of different lengths advance together");
  }
}
