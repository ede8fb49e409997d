package dev.sluice.telemetry.trace;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TracerTest {
  private final Tracer tracer =
      new Tracer(
          Map.of(
              Traces.LEVEL, List.of(Traces.TIMESTAMPS),
              Traces.RATE, List.of("1"),
              Traces.COUNT, List.of("3")),
          0);

  private void sampleAll() {
    for (int i = 0; i < 5; i++) {
      tracer.sample(() -> 1, () -> 0, false);
    }
  }

  @Test
  void theLastTraceOfALimitedNumberEndsItsFile() {
    sampleAll();
    assertThat(tracer.endsAfter(2)).isFalse();
    assertThat(tracer.endsAfter(3)).isTrue();
  }

  @Test
  void aDroppedTraceIsNotWaitedFor() {
    sampleAll();
    tracer.drop();
    assertThat(tracer.endsAfter(1)).isFalse();
    assertThat(tracer.endsAfter(2)).isTrue();
  }
}
