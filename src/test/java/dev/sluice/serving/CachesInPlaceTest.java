package dev.sluice.serving;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.tensor.Shape;
import dev.sluice.testing.StreamReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
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

  @TempDir Path folder;

  private HeldDecoder start() throws IOException {
    Path version = Files.createDirectories(folder.resolve("1"));
    Files.copy(Path.of("src/sample/models/chat/1/model.onnx"), version.resolve("model.onnx"));
    Files.writeString(folder.resolve("model.yml"), SETTINGS);
    return new HeldDecoder(version, HeldDecoder.config(folder), "past_key_values.0.key");
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
    try (HeldDecoder decoder = start()) {
      StreamReader[] readers = decoder.prefilled(LENGTHS);
      int before = decoder.held().shapes().size();
      decoder.block();
      for (StreamReader reader : readers) {
        reader.ask(STEPS);
      }
      decoder.settle();
      decoder.held().open();
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
}
