package dev.sluice.serving;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.inference.Deadline;
import dev.sluice.inference.access.Caller;
import dev.sluice.runtime.ModelSession;
import dev.sluice.telemetry.meter.VersionMeter;
import dev.sluice.tensor.Shape;
import dev.sluice.testing.HeldSession;
import dev.sluice.testing.MaskedDecoder;
import dev.sluice.testing.MaskedDecoder.Positions;
import dev.sluice.testing.OnnxModelWriter;
import dev.sluice.testing.StreamReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What there is to test of prompts that begin as others do. A prefix of {@code n} tokens takes 32
 * bytes of caches and 8 bytes of tokens for each of them.
 */
@Timeout(60)
abstract class PromptsOfADecoder {
  static final int STEPS = 6;

  @TempDir Path models;
  @Nullable HeldDecoder decoder;
  @Nullable Path folder;

  void start(Positions positions, String settings) throws IOException {
    folder =
        new MaskedDecoder(positions, OnnxModelWriter.FLOAT)
            .writeTo(models, "decoder", STEPS, settings);
    decoder = new HeldDecoder(folder, HeldDecoder.config(folder), "input_ids");
  }

  void start(String settings) throws IOException {
    start(Positions.GIVEN, settings);
  }

  @AfterEach
  void nothingIsLeftOpenOrKept() {
    decoder().close();
    assertThat(meter().tokens().orElseThrow().keptBytes().getAsLong()).isZero();
    assertThat(meter().cacheBytes()).isZero();
  }

  HeldDecoder decoder() {
    return Objects.requireNonNull(decoder);
  }

  HeldSession held() {
    return decoder().held();
  }

  VersionMeter meter() {
    return decoder().model().meter();
  }

  /** What runs were of prompts: all but the decode steps. */
  List<String> prompts() {
    return decoder().runs().stream().filter(run -> !run.endsWith("x1")).toList();
  }

  /** A prompt whose first tokens are those of all others with as many. */
  static long[] prompt(int common, int others, int salt) {
    var prompt = new long[common + others];
    for (int i = 0; i < prompt.length; i++) {
      prompt[i] = i < common ? (i * 7L + 3) % 32 : (i * 5L + salt) % 32;
    }
    return prompt;
  }

  StreamReader stream(long... prompt) {
    return decoder().stream(HeldDecoder.tokens(Shape.of(1, prompt.length), prompt));
  }

  StreamReader stream(Caller caller, long... prompt) {
    return decoder().stream(
        caller, Deadline.NONE, HeldDecoder.tokens(Shape.of(1, prompt.length), prompt));
  }

  void assertSaysWhatALoopSays(StreamReader reader, long... prompt) throws Throwable {
    List<Integer> tokens = HeldDecoder.said(reader.ask(100));
    try (ModelSession bare = MaskedDecoder.open(Objects.requireNonNull(folder))) {
      assertThat(tokens).isEqualTo(MaskedDecoder.tokens(MaskedDecoder.loop(bare, STEPS, prompt)));
    }
  }

  void say(long... prompt) throws Throwable {
    assertSaysWhatALoopSays(stream(prompt), prompt);
  }
}
