package dev.sluice.serving;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.runtime.ModelSession;
import dev.sluice.tensor.Shape;
import dev.sluice.testing.HeldSession;
import dev.sluice.testing.MaskedDecoder;
import dev.sluice.testing.MaskedDecoder.Positions;
import dev.sluice.testing.OnnxModelWriter;
import dev.sluice.testing.StreamReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Streams of a decoder with a branch for prompts and one for what comes behind a cache. */
@Timeout(60)
class MergedDecoderTest {
  private static final int STEPS = 6;

  @TempDir Path models;

  private HeldDecoder start(int cache, String settings) throws IOException {
    Path folder =
        new MaskedDecoder(Positions.GIVEN, cache, true).writeTo(models, "decoder", STEPS, settings);
    return new HeldDecoder(folder, HeldDecoder.config(folder), "past_key_values.0.key");
  }

  /** Returns the logits of each step that a loop by hand computes without branches. */
  private List<float[]> plain(int cache, int length) throws IOException {
    Path folder = new MaskedDecoder(Positions.GIVEN, cache).writeTo(models, "plain", STEPS, "");
    try (ModelSession bare = MaskedDecoder.open(folder)) {
      return MaskedDecoder.loop(bare, STEPS, HeldDecoder.prompt(length));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {OnnxModelWriter.FLOAT, MaskedDecoder.FLOAT16})
  void streamsOfDifferentLengthsAdvanceTogetherBehindTheirCaches(int cache) throws Throwable {
    try (HeldDecoder decoder = start(cache, "  emit: [logits]")) {
      HeldSession held = decoder.held();
      int proved = held.shapes().size();
      StreamReader[] readers = decoder.prefilled(3, 9);
      decoder.together(100, readers);
      assertSays(readers[0], plain(cache, 3));
      assertSays(readers[1], plain(cache, 9));
      assertThat(held.shapes().stream().skip(proved + 3L))
          .hasSize(STEPS - 1)
          .first()
          .isEqualTo(Shape.of(2, 2, 9, 4));
    }
  }

  private static void assertSays(StreamReader reader, List<float[]> logits) throws Throwable {
    reader.end();
    for (float[] step : logits) {
      assertThat(reader.next().getFirst()).isEqualTo(step);
    }
    assertThat(reader.waiting()).isZero();
  }

  @Test
  void itProvesThatItsPromptsMayBeCutAndItsCachesPadded() throws IOException {
    try (HeldDecoder decoder = start(OnnxModelWriter.FLOAT, "")) {
      assertThat(decoder.model().streamAdvice().orElseThrow())
          .isEqualTo(
              "left padding does not change its answers:"
                  + " streams of different lengths advance together;"
                  + " prompts run in chunks of 256 tokens;"
                  + " prefixes that prompts share are computed once");
    }
  }

  @Test
  void aChunkOfAPromptBehindAnotherReadsTheCache() throws Throwable {
    try (HeldDecoder decoder = start(OnnxModelWriter.FLOAT, "  prefill_chunk: 4")) {
      StreamReader reader = decoder.stream(11).ask(100);
      reader.end();
      for (float[] step : plain(OnnxModelWriter.FLOAT, 11)) {
        assertThat(Float.floatToRawIntBits(reader.next().getFirst()[0]))
            .isEqualTo(MaskedDecoder.token(step));
      }
      assertThat(decoder.held().shapes())
          .contains(Shape.of(1, 2, 4, 4), Shape.of(1, 2, 8, 4), Shape.of(1, 2, 11, 4));
    }
  }
}
