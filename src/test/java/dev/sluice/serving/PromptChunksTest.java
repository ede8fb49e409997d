package dev.sluice.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.inference.Deadline;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.runtime.ModelSession;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.testing.HeldSession;
import dev.sluice.testing.MaskedDecoder;
import dev.sluice.testing.MaskedDecoder.Positions;
import dev.sluice.testing.OnnxModelWriter;
import dev.sluice.testing.Polling;
import dev.sluice.testing.StreamReader;
import dev.sluice.testing.Tensors;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Prompts of a decoder that run in chunks, beside streams that have begun. */
@Timeout(60)
class PromptChunksTest {
  private static final int STEPS = 6;
  private static final int CHUNK = 4;
  private static final String CHUNKS = "  prefill_chunk: " + CHUNK;

  @TempDir Path models;
  private @Nullable HeldDecoder decoder;
  private @Nullable Path folder;

  private void start(Positions positions, String settings) throws IOException {
    folder =
        new MaskedDecoder(positions, OnnxModelWriter.FLOAT)
            .writeTo(models, "decoder", STEPS, settings);
    decoder = new HeldDecoder(folder, HeldDecoder.config(folder), "input_ids");
  }

  @AfterEach
  void nothingIsLeftOpen() {
    decoder().close();
  }

  private HeldDecoder decoder() {
    return Objects.requireNonNull(decoder);
  }

  private HeldSession held() {
    return decoder().held();
  }

  private List<Integer> bareTokens(long... prompt) {
    try (ModelSession bare = MaskedDecoder.open(Objects.requireNonNull(folder))) {
      return MaskedDecoder.tokens(MaskedDecoder.loop(bare, STEPS, prompt));
    }
  }

  private void assertSaysWhatALoopSays(StreamReader reader, int length) throws Throwable {
    assertThat(HeldDecoder.said(reader)).isEqualTo(bareTokens(HeldDecoder.prompt(length)));
  }

  @ParameterizedTest
  @EnumSource(names = {"GIVEN", "OF_MASK", "COMMON"})
  void aPromptInChunksSaysWhatItSaysWhole(Positions positions) throws Throwable {
    start(positions, CHUNKS);
    StreamReader reader = decoder().stream(10).ask(100);
    assertSaysWhatALoopSays(reader, 10);
    assertThat(decoder().runs()).startsWith("1x4", "1x4", "1x2", "1x1").hasSize(3 + STEPS - 1);
  }

  @Test
  void aPromptThatIsNoLongerThanAChunkRunsWhole() throws Throwable {
    start(Positions.GIVEN, CHUNKS);
    assertSaysWhatALoopSays(decoder().stream(CHUNK).ask(100), CHUNK);
    assertThat(decoder().runs()).startsWith("1x4", "1x1");
  }

  @Test
  void otherStreamsAdvanceBetweenTheChunksOfALongPrompt() throws Throwable {
    start(Positions.GIVEN, CHUNKS);
    StreamReader[] readers = decoder().prefilled(3, 2);
    StreamReader longPrompt = decoder().stream(20).ask(100);
    held().awaitRun();
    readers[0].ask(100);
    readers[1].ask(100);
    decoder().settle();
    held().open();
    assertSaysWhatALoopSays(longPrompt, 20);
    assertSaysWhatALoopSays(readers[0], 3);
    assertSaysWhatALoopSays(readers[1], 2);
    assertThat(decoder().runs().subList(2, 2 + 9))
        .containsExactly("1x4", "2x1", "1x4", "2x1", "1x4", "2x1", "1x4", "2x1", "1x4");
  }

  @Test
  void manyLongPromptsLeaveEverySecondRunToStreamsThatHaveBegun() throws Throwable {
    start(Positions.GIVEN, CHUNKS);
    StreamReader[] begun = decoder().prefilled(3);
    decoder().block();
    var prompts = new ArrayList<StreamReader>();
    for (int i = 0; i < 3; i++) {
      prompts.add(decoder().stream(12 + i).ask(100));
    }
    begun[0].ask(100);
    decoder().settle();
    held().open();
    for (int i = 0; i < 3; i++) {
      assertSaysWhatALoopSays(prompts.get(i), 12 + i);
    }
    assertSaysWhatALoopSays(begun[0], 3);
    List<String> afterTheBlocker = decoder().runs().subList(2, 2 + 10);
    assertThat(afterTheBlocker)
        .containsExactly("1x1", "3x4", "1x1", "1x4", "1x1", "1x4", "1x1", "1x4", "1x1", "1x4");
  }

  @Test
  void chunksCountNoStepAndSendNothing() throws Throwable {
    start(Positions.GIVEN, CHUNKS);
    held().hold();
    StreamReader reader = decoder().stream(12).ask(1);
    held().letGo(2);
    held().awaitRun();
    decoder().settle();
    assertThat(reader.waiting()).isZero();
    reader.ask(100);
    held().open();
    assertThat(HeldDecoder.said(reader)).hasSize(STEPS);
  }

  @Test
  void aStreamThatIsLeftBetweenTwoChunksRunsNoOther() throws Throwable {
    start(Positions.GIVEN, CHUNKS);
    held().hold();
    StreamReader reader = decoder().stream(40).ask(1);
    held().letGo(1);
    Polling.await("a chunk has run", () -> decoder().runs().size() == 1);
    held().awaitRun();
    reader.leave();
    decoder().settle();
    held().open();
    assertSaysWhatALoopSays(decoder().stream(2).ask(100), 2);
    assertThat(decoder().runs()).hasSize(2 + STEPS);
  }

  @Test
  void aDeadlineThatPassesBetweenTwoChunksEndsTheStream() throws Throwable {
    start(Positions.GIVEN, CHUNKS);
    held().hold();
    long soon = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(200);
    StreamReader reader =
        decoder().stream(
                Deadline.at(soon), HeldDecoder.tokens(Shape.of(1, 40), HeldDecoder.prompt(40)))
            .ask(1);
    held().letGo(1);
    assertThatThrownBy(reader::end)
        .isInstanceOfSatisfying(
            InferenceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.DEADLINE_EXCEEDED));
    held().open();
    assertSaysWhatALoopSays(decoder().stream(2).ask(100), 2);
    assertThat(decoder().runs().size()).isLessThan(10 + STEPS);
  }

  @Test
  void masksAndPositionsOfTheCallerAreCutToo() throws Throwable {
    start(Positions.GIVEN, CHUNKS);
    var ids = HeldDecoder.prompt(10);
    var shown = new long[] {1, 1, 0, 1, 0, 1, 1, 1, 0, 1};
    var places = new long[10];
    Arrays.setAll(places, i -> 3L * i);
    List<Integer> inChunks = HeldDecoder.said(decoder().stream(given(ids, shown, places)).ask(100));
    assertThat(decoder().runs()).startsWith("1x4", "1x4", "1x2");
    decoder().close();
    start(Positions.GIVEN, "  prefill_chunk: 0");
    assertThat(HeldDecoder.said(decoder().stream(given(ids, shown, places)).ask(100)))
        .isEqualTo(inChunks);
    assertThat(decoder().runs()).startsWith("1x10");
  }

  private static NamedTensor[] given(long[] ids, long[] shown, long[] places) {
    Shape row = Shape.of(1, ids.length);
    return new NamedTensor[] {
      HeldDecoder.tokens(row, ids),
      new NamedTensor("attention_mask", Tensors.integers(row, shown)),
      new NamedTensor("position_ids", Tensors.integers(row, places))
    };
  }

  @Test
  void aPromptOfSeveralRowsRunsWhole() throws Throwable {
    start(Positions.GIVEN, CHUNKS);
    long[] ids = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3};
    decoder().stream(HeldDecoder.tokens(Shape.of(2, 5), ids)).ask(100).end();
    assertThat(decoder().runs()).startsWith("2x5");
  }

  @Test
  void aModelWhoseAnswersChunksChangeRunsPromptsWhole() throws Throwable {
    start(Positions.OF_STEP, CHUNKS);
    assertThat(decoder().model().streamAdvice().orElseThrow())
        .endsWith("; prompts run whole: chunks change its output logits");
    assertSaysWhatALoopSays(decoder().stream(10).ask(100), 10);
    assertThat(decoder().runs().getLast()).isEqualTo("1x1");
    assertThat(decoder().runs()).contains("1x10");
  }
}
