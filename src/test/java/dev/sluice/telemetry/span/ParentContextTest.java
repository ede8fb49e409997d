package dev.sluice.telemetry.span;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** By the rules of W3C Trace Context and of github.com/openzipkin/b3-propagation. */
class ParentContextTest {
  private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
  private static final String SPAN = "b7ad6b7169203331";

  private static ParentContext read(String... namesAndValues) {
    Map<String, @Nullable String> headers = new HashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      headers.put(namesAndValues[i], namesAndValues[i + 1]);
    }
    return ParentContext.read(name -> headers.get(name.toString()));
  }

  @ParameterizedTest
  @CsvSource({"0, false", "1, true", "d, true", "true, true", "false, false", "-, ", "x, "})
  void aCallerWithoutASpanMayDecideWhetherThereIsOne(String said, @Nullable Boolean sampled) {
    assertThat(read("b3", said).sampled()).isEqualTo(sampled);
    assertThat(read("b3", said).span().isValid()).isFalse();
    assertThat(read("x-b3-sampled", said).sampled()).isEqualTo(sampled);
  }

  @ParameterizedTest
  @CsvSource({"-0, false", "-1, true", "-d, true", "'', true", "-1-05e3ac9a4f6e3b90, true"})
  void aSpanOfB3IsGoneOnWithUnlessItsCallerDoesNotSample(String state, boolean sampled) {
    ParentContext read = read("b3", TRACE + "-" + SPAN + state);
    assertThat(read.span().getTraceId()).isEqualTo(TRACE);
    assertThat(read.span().getSpanId()).isEqualTo(SPAN);
    assertThat(read.span().isSampled()).isEqualTo(sampled);
    assertThat(read.sampled()).isEqualTo(sampled);
  }

  @Test
  void traceparentCountsMoreThanB3() {
    ParentContext read = read("traceparent", "00-" + TRACE + "-" + SPAN + "-00", "b3", "1");
    assertThat(read.span().getTraceId()).isEqualTo(TRACE);
    assertThat(read.sampled()).isFalse();
  }

  @Test
  void debuggingIsSampling() {
    assertThat(read("x-b3-flags", "1", "x-b3-sampled", "0").sampled()).isTrue();
  }

  @Test
  void whoSaysNothingDecidesNothing() {
    assertThat(read().sampled()).isNull();
    assertThat(read("traceparent", "00-x-y-01").sampled()).isNull();
  }
}
