package dev.sluice.serving;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.runtime.ModelSession;
import dev.sluice.tensor.Shape;
import dev.sluice.testing.AttentionDecoder;
import dev.sluice.testing.MaskedDecoder;
import dev.sluice.testing.StreamReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Streams of decoders with ONNX's own operators for attention and for caches of one size. */
@Timeout(60)
class AttentionDecoderTest {
  private static final int STEPS = 24;
  private static final int[] LENGTHS = {3, 9, 5};

  @TempDir Path models;

  private HeldDecoder start(AttentionDecoder kind) throws IOException {
    Path folder = kind.writeTo(models, STEPS);
    return new HeldDecoder(folder, HeldDecoder.config(folder), "past_key_values.0.key");
  }

  private List<Integer> byHand(AttentionDecoder kind, int length) {
    try (ModelSession bare = MaskedDecoder.open(models.resolve("decoder"))) {
      return kind.loop(bare, STEPS, HeldDecoder.prompt(length));
    }
  }

  @ParameterizedTest
  @EnumSource
  void aStreamHasTheTokensOfALoopByHand(AttentionDecoder kind) throws Throwable {
    try (HeldDecoder decoder = start(kind)) {
      for (int length : LENGTHS) {
        List<Integer> tokens = HeldDecoder.said(decoder.stream(length).ask(STEPS));
        assertThat(tokens).isEqualTo(byHand(kind, length));
        assertThat(tokens.stream().distinct()).hasSizeGreaterThan(3);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void streamsOfDifferentLengthsThatRunTogetherHaveThemToo(AttentionDecoder kind) throws Throwable {
    try (HeldDecoder decoder = start(kind)) {
      StreamReader[] readers = decoder.prefilled(LENGTHS);
      int before = decoder.held().shapes().size();
      decoder.together(STEPS, readers);
      for (int i = 0; i < LENGTHS.length; i++) {
        assertThat(HeldDecoder.said(readers[i])).isEqualTo(byHand(kind, LENGTHS[i]));
      }
      List<Shape> caches = decoder.held().shapes();
      assertThat(caches.subList(before + 1, caches.size()))
          .hasSize(STEPS - 1)
          .allMatch(shape -> shape.dim(0) == LENGTHS.length);
    }
  }

  @Test
  void cachesThatGrowAreProvedToBearPaddingAndThoseOfOneSizeNeedNone() throws IOException {
    var advice = new ArrayList<String>();
    for (AttentionDecoder kind : AttentionDecoder.values()) {
      try (HeldDecoder decoder = start(kind)) {
        advice.add(decoder.model().streamAdvice().orElseThrow());
      }
    }
    assertThat(advice)
        .allMatch(line -> line.contains("streams of different lengths advance together"));
    assertThat(advice.getFirst()).startsWith("left padding does not change its answers");
    assertThat(advice.getLast()).doesNotContain("padding");
  }
}
