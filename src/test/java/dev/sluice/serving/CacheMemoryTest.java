package dev.sluice.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.inference.Deadline;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.runtime.ModelSession;
import dev.sluice.tensor.Shape;
import dev.sluice.testing.MaskedDecoder;
import dev.sluice.testing.MaskedDecoder.Positions;
import dev.sluice.testing.OnnxModelWriter;
import dev.sluice.testing.Polling;
import dev.sluice.testing.StreamReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Streams that wait for memory for their caches. One of {@code n} tokens reserves 32 bytes for each
 * of them, and for each of the steps behind the first.
 */
@Timeout(60)
class CacheMemoryTest {
  private static final int STEPS = 6;

  @TempDir Path models;
  private @Nullable HeldDecoder decoder;
  private @Nullable Path folder;

  private void start(String settings) throws IOException {
    folder =
        new MaskedDecoder(Positions.GIVEN, OnnxModelWriter.FLOAT)
            .writeTo(
                models,
                "decoder",
                STEPS,
                "  prefill_chunk: 0\n  max_padding: 0\n  cache_memory: " + settings);
    decoder = new HeldDecoder(folder, HeldDecoder.config(folder), "input_ids");
  }

  @AfterEach
  void nothingIsLeftOpenOrReserved() {
    decoder().close();
    assertThat(reserved()).isZero();
    assertThat(waiting()).isZero();
  }

  private HeldDecoder decoder() {
    return Objects.requireNonNull(decoder);
  }

  private long reserved() {
    return decoder().model().meter().cacheBytes();
  }

  private int waiting() {
    return decoder().model().meter().cacheWaiting();
  }

  private List<String> runs() {
    return decoder().held().shapes().stream()
        .map(shape -> shape.dim(0) + "x" + shape.dim(1))
        .toList();
  }

  /** The runs of one stream that is alone. */
  private static List<String> alone(int length) {
    var runs = new ArrayList<>(List.of("1x" + length));
    runs.addAll(Collections.nCopies(STEPS - 1, "1x1"));
    return runs;
  }

  private void assertSaysWhatALoopSays(StreamReader reader, int length) throws Throwable {
    reader.end();
    var tokens = new ArrayList<Integer>();
    while (reader.waiting() > 0) {
      tokens.add(Float.floatToRawIntBits(reader.next().getFirst()[0]));
    }
    try (ModelSession bare = MaskedDecoder.open(Objects.requireNonNull(folder))) {
      assertThat(tokens)
          .isEqualTo(
              MaskedDecoder.tokens(MaskedDecoder.loop(bare, STEPS, HeldDecoder.prompt(length))));
    }
  }

  /** A stream that has begun, and is not asked for more. */
  private StreamReader parked(int length) {
    StreamReader reader = decoder().stream(length).ask(1);
    Polling.await("its prompt has run", () -> reader.waiting() == 1);
    return reader;
  }

  private StreamReader waitingStream(int length) {
    int before = waiting();
    StreamReader reader = decoder().stream(length).ask(100);
    Polling.await("it waits for memory", () -> waiting() > before);
    return reader;
  }

  @Test
  void aStreamWaitsUntilThereIsMemoryForItsCaches() throws Throwable {
    start("512");
    StreamReader first = parked(3);
    StreamReader second = parked(3);
    assertThat(reserved()).isEqualTo(512);
    StreamReader third = waitingStream(3);
    second.ask(100);
    assertSaysWhatALoopSays(second, 3);
    assertSaysWhatALoopSays(third, 3);
    assertThat(reserved()).isEqualTo(256);
    first.ask(100);
    assertSaysWhatALoopSays(first, 3);
  }

  @Test
  void aParkedStreamThatIsLeftMakesRoom() throws Throwable {
    start("300");
    StreamReader first = parked(3);
    StreamReader second = waitingStream(3);
    first.leave();
    assertSaysWhatALoopSays(second, 3);
  }

  @Test
  void noStreamPassesOneThatNeedsMore() throws Throwable {
    start("512");
    StreamReader parked = parked(3);
    StreamReader large = waitingStream(8);
    StreamReader small = waitingStream(2);
    int before = runs().size();
    parked.leave();
    assertSaysWhatALoopSays(large, 8);
    assertSaysWhatALoopSays(small, 2);
    var wanted = new ArrayList<>(alone(8));
    wanted.addAll(alone(2));
    assertThat(runs().subList(before, runs().size())).isEqualTo(wanted);
  }

  @Test
  void aDeadlineThatPassesInTheQueueEndsTheStreamAndLetsOthersBegin() throws Throwable {
    start("512");
    StreamReader parked = parked(3);
    Deadline soon = Deadline.after(Duration.ofMillis(300), System.nanoTime());
    StreamReader large =
        decoder().stream(soon, HeldDecoder.tokens(Shape.of(1, 8), HeldDecoder.prompt(8))).ask(100);
    StreamReader small = decoder().stream(2).ask(100);
    assertThatThrownBy(large::end)
        .isInstanceOfSatisfying(
            InferenceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.DEADLINE_EXCEEDED));
    assertSaysWhatALoopSays(small, 2);
    parked.leave();
  }

  @Test
  void streamsThatWaitCountInTheQueue() throws Throwable {
    start("300\nmax_queued_requests: 1");
    StreamReader parked = parked(3);
    StreamReader second = waitingStream(3);
    assertThatThrownBy(() -> decoder().stream(3).ask(1).end())
        .isInstanceOfSatisfying(
            InferenceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.RESOURCE_EXHAUSTED))
        .hasMessage("model 'decoder' has 1 requests waiting: Exceeds maximum queue size");
    second.leave();
    parked.leave();
  }

  @Test
  void aStreamThatWouldWaitForEverIsRefused() throws Throwable {
    start("300");
    assertThatThrownBy(() -> decoder().stream(9).ask(1).end())
        .isInstanceOfSatisfying(
            InferenceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
        .hasMessage(
            "with its prompt and its most steps the stream may keep caches of 448 bytes; all"
                + " streams of model 'decoder' may keep 300 (setting stream.cache_memory)");
  }

  @Test
  void manyStreamsOfAllLengthsEndWithLittleMemory() throws Throwable {
    start("700");
    var readers = new ArrayList<StreamReader>();
    for (int i = 0; i < 40; i++) {
      readers.add(decoder().stream(1 + i % 16).ask(100));
    }
    for (int i = 0; i < 40; i++) {
      if (i % 5 == 0) {
        readers.get(i).leave();
      } else {
        assertSaysWhatALoopSays(readers.get(i), 1 + i % 16);
      }
    }
  }
}
