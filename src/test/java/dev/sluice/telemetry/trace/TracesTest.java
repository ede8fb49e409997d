package dev.sluice.telemetry.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.RequestTrace;
import dev.sluice.inference.RequestTrace.Point;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TracesTest {
  private static final List<String> TIMESTAMPS = List.of(Traces.TIMESTAMPS);

  @TempDir private Path folder;
  private final AtomicLong nanos = new AtomicLong();

  private Traces toLog(String... levels) {
    return Traces.toLog(new Traces.Start(List.of(levels), 1_000, -1, 0), nanos::get);
  }

  private Traces toFile(long count, long frequency) {
    return Traces.toFile(
        folder.resolve("t.json"),
        1_000,
        new Traces.Start(TIMESTAMPS, 1, count, frequency),
        nanos::get);
  }

  private static @Nullable RequestTrace sampled(Traces traces, String model) {
    Tracer tracer = traces.tracer(model);
    return tracer == null ? null : traces.sample(tracer, false);
  }

  private static int taken(Traces traces, String model, int requests) {
    int taken = 0;
    for (int i = 0; i < requests; i++) {
      taken += sampled(traces, model) == null ? 0 : 1;
    }
    return taken;
  }

  private void trace(Traces traces, int requests) {
    for (int i = 0; i < requests; i++) {
      Tracer tracer = traces.tracer("m");
      RequestTrace trace = tracer == null ? null : traces.sample(tracer, false);
      if (tracer != null && trace != null) {
        trace.reach(Point.REQUEST_START, 7);
        traces.collect(tracer, trace);
      }
    }
  }

  private List<String> files() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(path -> path.getFileName().toString()).sorted().toList();
    }
  }

  private static String point(int id) {
    return "{\"id\":%d,\"timestamps\":[{\"name\":\"REQUEST_START\",\"ns\":7}]}".formatted(id);
  }

  private String written(String name) throws IOException {
    return Files.readString(folder.resolve(name));
  }

  @Test
  void nothingIsTracedAtTheStart() {
    assertThat(taken(toLog(), "one", 2_000)).isZero();
  }

  @Test
  void oneOfSoManyRequestsToAllModelsIsTraced() {
    Traces traces = toLog();
    traces.change("", Map.of(Traces.LEVEL, TIMESTAMPS, Traces.RATE, List.of("3")));
    assertThat(taken(traces, "one", 3_000)).isEqualTo(1_000);
    assertThat(taken(traces, "one", 2) + taken(traces, "other", 1)).isEqualTo(1);
  }

  @Test
  void noMoreAreTracedThanAreWantedAndTheSettingsTellHowManyAreLeft() {
    Traces traces = toLog();
    traces.change(
        "one",
        Map.of(Traces.LEVEL, TIMESTAMPS, Traces.RATE, List.of("1"), Traces.COUNT, List.of("5")));
    assertThat(taken(traces, "one", 3)).isEqualTo(3);
    assertThat(traces.settings("one")).containsEntry(Traces.COUNT, List.of("2"));
    traces.change("one", Map.of(Traces.FREQUENCY, List.of("9")));
    assertThat(taken(traces, "one", 100)).isEqualTo(2);
    assertThat(traces.settings("one")).containsEntry(Traces.COUNT, List.of("0"));
    assertThat(taken(traces, "other", 100)).isZero();
    traces.change("one", Map.of(Traces.COUNT, List.of("4")));
    assertThat(taken(traces, "one", 100)).isEqualTo(4);
  }

  @Test
  void whatAModelHasOfItsOwnStaysUntilItIsCleared() {
    Traces traces = toLog();
    traces.change("one", Map.of(Traces.RATE, List.of("2")));
    traces.change("", Map.of(Traces.LEVEL, TIMESTAMPS, Traces.RATE, List.of("5")));
    assertThat(taken(traces, "one", 20)).isEqualTo(10);
    assertThat(taken(traces, "other", 20)).isEqualTo(4);
    traces.change("one", Map.of(Traces.RATE, List.of()));
    assertThat(taken(traces, "one", 20)).isEqualTo(4);
    traces.change("", Map.of(Traces.LEVEL, List.of()));
    assertThat(traces.settings("one")).containsEntry(Traces.LEVEL, List.of("OFF"));
    assertThat(taken(traces, "one", 20)).isZero();
  }

  @Test
  void whatIsClearedFallsBackToTheStart() {
    Traces traces = Traces.toLog(new Traces.Start(TIMESTAMPS, 4, 3, 0), nanos::get);
    assertThat(taken(traces, "one", 8)).isEqualTo(2);
    traces.change("", Map.of(Traces.RATE, List.of("1")));
    assertThat(taken(traces, "one", 100)).isEqualTo(3);
    traces.change("", Map.of(Traces.RATE, List.of()));
    assertThat(traces.settings("one")).containsEntry(Traces.RATE, List.of("4"));
    assertThat(taken(traces, "one", 100)).isEqualTo(3);
  }

  @Test
  void settingsByWhichNothingCanBeTracedAreRefusedAndChangeNothing() {
    Traces traces = toLog();
    traces.change("one", Map.of(Traces.RATE, List.of("0")));
    assertThatThrownBy(() -> traces.change("one", Map.of(Traces.LEVEL, TIMESTAMPS)))
        .isInstanceOf(InferenceException.class)
        .hasMessage("Attempting to set invalid trace setting :sample rate must be non-zero");
    assertThatThrownBy(() -> traces.change("", Map.of(Traces.LEVEL, TIMESTAMPS)))
        .hasMessageContaining("sample rate must be non-zero");
    assertThatThrownBy(() -> traces.change("", Map.of(Traces.LEVEL, List.of(Traces.TENSORS))))
        .hasMessageContaining("trace file name is not given");
    assertThat(traces.settings("")).containsEntry(Traces.LEVEL, List.of("OFF"));
    assertThat(traces.settings("one")).containsEntry(Traces.LEVEL, List.of("OFF"));
  }

  @Test
  void allTracesAreInOneFileUnlessSettingsSayOtherwise() throws IOException {
    try (Traces traces = toFile(-1, 0)) {
      trace(traces, 2);
      traces.change("", Map.of(Traces.RATE, List.of("1")));
      trace(traces, 1);
    }
    assertThat(files()).containsExactly("t.json");
    assertThat(written("t.json")).isEqualTo("[" + point(1) + "," + point(2) + "," + point(3) + "]");
  }

  @Test
  void soManyTracesAsSettingsSayMakeAFileAndTheRestTheLast() throws IOException {
    try (Traces traces = toFile(-1, 2)) {
      trace(traces, 5);
    }
    assertThat(files()).containsExactly("t.json.0", "t.json.1", "t.json.2");
    assertThat(written("t.json.0")).isEqualTo("[" + point(1) + "," + point(2) + "]");
    assertThat(written("t.json.2")).isEqualTo("[" + point(5) + "]");
  }

  @Test
  void theTracesOfACountMakeAFileWhenAllAreThere() throws IOException {
    try (Traces traces = toFile(3, 0)) {
      trace(traces, 10);
      traces.change("", Map.of(Traces.COUNT, List.of("2")));
      trace(traces, 1);
    }
    assertThat(files()).containsExactly("t.json", "t.json.0");
    assertThat(written("t.json.0"))
        .isEqualTo("[" + point(1) + "," + point(2) + "," + point(3) + "]");
    assertThat(written("t.json")).isEqualTo("[" + point(4) + "]");
  }

  @Test
  void aTraceThatEndsAfterItsSettingsWereReplacedIsWrittenToo() throws IOException {
    try (Traces traces = toFile(5, 0)) {
      Tracer before = Objects.requireNonNull(traces.tracer("m"));
      RequestTrace late = Objects.requireNonNull(traces.sample(before, false));
      late.reach(Point.REQUEST_START, 7);
      traces.change("", Map.of(Traces.LEVEL, List.of("OFF")));
      traces.collect(before, late);
    }
    assertThat(files()).containsExactly("t.json");
    assertThat(written("t.json")).isEqualTo("[" + point(1) + "]");
  }

  @Test
  void aFileThatCannotBeWrittenDelaysNoRequest() {
    Path nowhere = folder.resolve("gone/t.json");
    try (Traces traces =
        Traces.toFile(nowhere, 0, new Traces.Start(TIMESTAMPS, 1, -1, 0), nanos::get)) {
      trace(traces, 3);
    }
    assertThat(nowhere).doesNotExist();
  }
}
