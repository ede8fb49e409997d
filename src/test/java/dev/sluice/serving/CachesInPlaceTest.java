package dev.sluice.serving;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.tensor.Shape;
import dev.sluice.testing.StreamReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Streams of the sample chat, a decoder with GroupQueryAttention, without its tokenizer. */
@Timeout(60)
class CachesInPlaceTest {
  private static final int STEPS = 80;
  private static final int[] LENGTHS = {3, 9, 5};

  private static final String SETTINGS =
      """
      max_batch_size: 16
      stream:
        feedback: { "present.*": "past_key_values.*" }
        next: { from: logits, to: input_ids }
        mask: attention_mask
        emit: [logits]
        stop: { steps: 80 }
      """;

  private static final String TOKENS =
      SETTINGS.replace("emit: [logits]", "prefixes: { shared_by: %s }");

  @TempDir Path folder;

  private HeldDecoder start(String settings) throws IOException {
    Path model = Files.createTempDirectory(folder, "chat");
    Path version = Files.createDirectories(model.resolve("1"));
    Files.copy(Path.of("src/sample/models/chat/1/model.onnx"), version.resolve("model.onnx"));
    Files.writeString(model.resolve("model.yml"), settings);
    return new HeldDecoder(version, HeldDecoder.config(model), "past_key_values.0.key");
  }

  private static List<float[]> logits(StreamReader reader) throws Throwable {
    reader.ask(STEPS);
    reader.end();
    var logits = new ArrayList<float[]>();
    while (reader.waiting() > 0) {
      logits.add(reader.next().getFirst());
    }
    return logits;
  }

  @Test
  void stepsRunInCachesWithRoomThatGrowSeldomAndSayWhatEachSaysAlone() throws Throwable {
    try (HeldDecoder decoder = start(SETTINGS)) {
      StreamReader[] readers = decoder.prefilled(LENGTHS);
      int before = decoder.held().shapes().size();
      decoder.together(STEPS, readers);
      var together = new ArrayList<List<float[]>>();
      for (StreamReader reader : readers) {
        together.add(logits(reader));
      }
      List<Shape> decoded = decoder.held().shapes();
      assertThat(decoded.subList(before + 1, decoded.size()))
          .startsWith(Shape.of(3, 2, 64, 48))
          .endsWith(Shape.of(3, 2, 128, 48))
          .containsOnly(Shape.of(3, 2, 64, 48), Shape.of(3, 2, 128, 48));
      for (int i = 0; i < LENGTHS.length; i++) {
        List<float[]> alone = logits(decoder.stream(LENGTHS[i]));
        assertThat(together.get(i)).hasSize(STEPS);
        for (int step = 0; step < STEPS; step++) {
          assertThat(together.get(i).get(step)).as("step %d", step).isEqualTo(alone.get(step));
        }
      }
    }
  }

  /** Of 40 tokens, the first 25 of which are those of all others. */
  private static StreamReader prompt(HeldDecoder decoder, int salt) {
    var ids = new long[40];
    Arrays.setAll(ids, i -> i < 25 ? 5 + i * 11L : 7 + i * (13L + salt));
    return decoder.stream(HeldDecoder.tokens(Shape.of(1, 40), ids)).ask(STEPS);
  }

  private static List<Integer> tokens(StreamReader reader) throws Throwable {
    reader.end();
    var tokens = new ArrayList<Integer>();
    while (reader.waiting() > 0) {
      tokens.add(Float.floatToRawIntBits(reader.next().getFirst()[0]));
    }
    return tokens;
  }

  @Test
  void streamsBehindThePrefixOfAnotherSayWhatTheySayWithoutIt() throws Throwable {
    var alone = new ArrayList<List<Integer>>();
    try (HeldDecoder decoder = start(TOKENS.formatted("none"))) {
      for (int salt = 0; salt < 4; salt++) {
        alone.add(tokens(prompt(decoder, salt)));
      }
      assertThat(decoder.model().meter().tokens().orElseThrow().reused().getAsLong()).isZero();
    }
    try (HeldDecoder decoder = start(TOKENS.formatted("identity"))) {
      assertThat(tokens(prompt(decoder, 0))).isEqualTo(alone.get(0));
      assertThat(tokens(prompt(decoder, 1))).isEqualTo(alone.get(1));
      StreamReader[] together = {
        prompt(decoder, 0), prompt(decoder, 2), prompt(decoder, 3), prompt(decoder, 1)
      };
      assertThat(tokens(together[0])).isEqualTo(alone.get(0));
      assertThat(tokens(together[1])).isEqualTo(alone.get(2));
      assertThat(tokens(together[2])).isEqualTo(alone.get(3));
      assertThat(tokens(together[3])).isEqualTo(alone.get(1));
      assertThat(decoder.model().meter().tokens().orElseThrow().reused().getAsLong())
          .isEqualTo(25 + 39 + 25 + 25 + 39);
    }
  }
}
