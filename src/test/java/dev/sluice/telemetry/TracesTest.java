package dev.sluice.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.inference.ModelId;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TracesTest {
  private final Traces traces = Traces.off();
  private final Tracer one = traces.tracer(new ModelId("one", 1));
  private final Tracer other = traces.tracer(new ModelId("other", 1));

  private static int taken(Tracer tracer, int requests) {
    int taken = 0;
    for (int i = 0; i < requests; i++) {
      taken += tracer.takes() ? 1 : 0;
    }
    return taken;
  }

  @Test
  void nothingIsTracedAtTheStart() {
    assertThat(taken(one, 2_000)).isZero();
  }

  @Test
  void oneOfSoManyRequestsIsTraced() {
    traces.change("", Map.of(Traces.LEVEL, List.of("TIMESTAMPS"), Traces.RATE, List.of("3")));
    assertThat(taken(one, 3_000)).isEqualTo(1_000);
    assertThat(taken(traces.tracer(new ModelId("loaded later", 1)), 3)).isEqualTo(1);
  }

  @Test
  void noMoreAreTracedThanAreWanted() {
    traces.change(
        "one",
        Map.of(
            Traces.LEVEL,
            List.of("TIMESTAMPS"),
            Traces.RATE,
            List.of("1"),
            Traces.COUNT,
            List.of("5")));
    assertThat(taken(one, 100)).isEqualTo(5);
    assertThat(taken(other, 100)).isZero();
  }

  @Test
  void whatAModelHasOfItsOwnStaysUntilItIsCleared() {
    traces.change("one", Map.of(Traces.RATE, List.of("2")));
    traces.change("", Map.of(Traces.LEVEL, List.of("TIMESTAMPS"), Traces.RATE, List.of("5")));
    assertThat(taken(one, 20)).isEqualTo(10);
    assertThat(taken(other, 20)).isEqualTo(4);
    traces.change("one", Map.of(Traces.RATE, List.of()));
    assertThat(taken(one, 20)).isEqualTo(4);
    traces.change("", Map.of(Traces.LEVEL, List.of()));
    assertThat(traces.settings("one")).containsEntry(Traces.LEVEL, List.of("OFF"));
    assertThat(taken(one, 20)).isZero();
  }

  @Test
  void whatIsClearedFallsBackToTheStart() {
    Traces started = Traces.starting("TIMESTAMPS", 4, 3, 0);
    Tracer tracer = started.tracer(new ModelId("one", 1));
    assertThat(taken(tracer, 8)).isEqualTo(2);
    started.change("", Map.of(Traces.RATE, List.of("1")));
    assertThat(taken(tracer, 100)).isEqualTo(3);
    started.change("", Map.of(Traces.RATE, List.of()));
    assertThat(started.settings("one")).containsEntry(Traces.RATE, List.of("4"));
    assertThat(taken(tracer, 100)).isEqualTo(3);
  }
}
