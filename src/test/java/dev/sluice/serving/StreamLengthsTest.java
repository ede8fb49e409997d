package dev.sluice.serving;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.model.ModelConfig;
import dev.sluice.runtime.ModelSession;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorMemory;
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
import java.util.List;
import java.util.Objects;
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

  private final long bytesBefore = TensorMemory.openBytes();

  @TempDir Path models;
  private @Nullable HeldDecoder decoder;
  private @Nullable Path folder;

  private void start(MaskedDecoder model, String settings) throws IOException {
    Path written = model.writeTo(models, "decoder", STEPS, settings);
    start(written, HeldDecoder.config(written));
  }

  private void start(Path files, ModelConfig config) {
    folder = files;
    decoder = new HeldDecoder(files, config, "past_key_values.0.key");
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

  private ServableModel model() {
    return decoder().model();
  }

  private StreamReader stream(NamedTensor... inputs) {
    return decoder().stream(inputs);
  }

  private StreamReader[] prefilled(int... lengths) {
    return decoder().prefilled(lengths);
  }

  private void block() {
    decoder().block();
  }

  private void settle() {
    decoder().settle();
  }

  private void assertSaysWhatALoopSays(StreamReader reader, int length) throws Throwable {
    reader.end();
    try (ModelSession bare = MaskedDecoder.open(Objects.requireNonNull(folder))) {
      List<float[]> logits = MaskedDecoder.loop(bare, STEPS, HeldDecoder.prompt(length));
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
    assertThat(model().streamAdvice().orElseThrow())
        .startsWith(
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
    assertThat(model().streamAdvice().orElseThrow())
        .startsWith(
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
    List<float[]> alone = logits(stream(HeldDecoder.tokens(Shape.of(2, 4), ids)).ask(100));
    assertThat(besideOthers(HeldDecoder.tokens(Shape.of(2, 4), ids)))
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
      HeldDecoder.tokens(Shape.of(1, 4), 3, 1, 4, 1),
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
  void streamsThatComeAndGoSayWhatEachSaysAlone() throws Throwable {
    start(new MaskedDecoder(Positions.GIVEN, OnnxModelWriter.FLOAT), SHOWN);
    var readers = new ArrayList<StreamReader>();
    for (int i = 0; i < 150; i++) {
      // Some are asked for a part of their steps only, and left.
      readers.add(
          stream(HeldDecoder.tokens(Shape.of(1, length(i)), prompt(i))).ask(i % 7 == 0 ? 3 : 100));
    }
    for (int i = 0; i < readers.size(); i++) {
      if (i % 7 == 0) {
        readers.get(i).leave();
      } else {
        assertSaysWhatALoopSays(readers.get(i), length(i));
      }
    }
  }

  @Test
  void aStreamThatIsNotReadHoldsNoMemoryOfThoseThatGoOn() throws Throwable {
    start(new MaskedDecoder(Positions.GIVEN, OnnxModelWriter.FLOAT), "  emit: [logits]");
    int[] lengths = {3, 60, 60, 60, 60, 60, 60, 60, 60, 60, 60, 60};
    StreamReader[] readers = prefilled(lengths);
    block();
    readers[0].ask(2);
    for (int i = 1; i < readers.length; i++) {
      readers[i].ask(100);
    }
    settle();
    held().open();
    for (int i = 1; i < readers.length; i++) {
      logits(readers[i]);
    }
    long held = TensorMemory.openBytes() - bytesBefore;
    assertThat(logits(readers[0].ask(100))).hasSize(STEPS);
    // Its own caches are 160 bytes, its neighbours' 24 KiB.
    assertThat(held).isLessThan(4096);
  }

  @Test
  void aStreamOfTextThatIsNotReadHoldsNoMemoryOfThoseThatGoOn() throws Throwable {
    Path written =
        new MaskedDecoder(Positions.GIVEN, OnnxModelWriter.FLOAT)
            .writeTo(models, "decoder", STEPS, HeldDecoder.TEXT);
    HeldDecoder.writeVocabulary(written);
    start(written, HeldDecoder.config(written));
    held().hold();
    StreamReader[] readers = new StreamReader[12];
    for (int i = 0; i < readers.length; i++) {
      StreamReader reader = stream(HeldDecoder.text(i == 0 ? 3 : 60)).ask(1);
      held().letGo(1);
      Polling.await("the prompt has run", () -> reader.waiting() == 1);
      readers[i] = reader;
    }
    readers[1].ask(100);
    held().awaitRun();
    readers[0].ask(2);
    for (int i = 2; i < readers.length; i++) {
      readers[i].ask(100);
    }
    settle();
    held().open();
    for (int i = 1; i < readers.length; i++) {
      readers[i].end();
    }
    long held = TensorMemory.openBytes() - bytesBefore;
    readers[0].ask(100).end();
    assertThat(readers[0].waiting()).isGreaterThanOrEqualTo(STEPS - 1);
    assertThat(held).isLessThan(4096);
  }

  private static int length(int i) {
    return 1 + (i * 11) % 23;
  }

  private static long[] prompt(int i) {
    return HeldDecoder.prompt(length(i));
  }

  @Test
  void checkSaysThatGroupQueryAttentionWritesInPlace() {
    Path chat = Path.of("src/sample/models/chat");
    start(chat.resolve("1"), HeldDecoder.config(chat));
    assertThat(model().streamAdvice().orElseThrow())
        .isEqualTo(
            "right padding does not change its answers:"
                + " streams of different lengths advance together, their caches written in place;"
                + " prompts run in chunks of 256 tokens;"
                + " prefixes that prompts share are computed once");
  }

  @Test
  void checkSaysThatPaddingWasProved() throws IOException {
    start(new MaskedDecoder(Positions.OF_MASK, OnnxModelWriter.FLOAT), SHOWN);
    assertThat(model().streamAdvice().orElseThrow())
        .isEqualTo(
            "left padding does not change its answers:"
                + " streams of different lengths advance together;"
                + " prompts run whole: its messages have the output logits of the whole prompt");
  }

  @Test
  void streamsWithCachesOfOneSizeAdvanceTogetherWithoutPadding() {
    Path writer = Path.of("src/sample/models/writer");
    folder = writer.resolve("1");
    decoder = new HeldDecoder(folder, HeldDecoder.config(writer), "past.0.key");
    assertThat(model().streamAdvice().orElseThrow())
        .startsWith(
            "its caches are of one size, with a position for each row:"
                + " streams of different lengths advance together; prompts run in chunks");
    int proved = held().shapes().size();
    StreamReader[] readers = {prefilled("Dear Sir"), prefilled("I am")};
    decoder().block(stream(letters("No")));
    readers[0].ask(3);
    readers[1].ask(3);
    settle();
    held().letGo(2);
    Polling.await("both have run", () -> !decoded(proved + 3).isEmpty());
    assertThat(decoded(proved + 3)).first().isEqualTo(Shape.of(2, 4, 128, 32));
    held().open();
    for (StreamReader reader : readers) {
      reader.leave();
    }
    settle();
  }

  private StreamReader prefilled(String text) {
    held().hold();
    StreamReader reader = stream(letters(text)).ask(1);
    held().letGo(1);
    Polling.await("the prompt has run", () -> reader.waiting() == 1);
    return reader;
  }

  private static NamedTensor letters(String text) {
    return new NamedTensor("text", Tensors.texts(Shape.of(1), text));
  }
}
