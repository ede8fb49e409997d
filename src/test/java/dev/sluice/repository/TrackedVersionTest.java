package dev.sluice.repository;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.model.ModelConfig;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.VersionState;
import dev.sluice.inference.control.VersionStatus.Failure;
import dev.sluice.repository.scan.FileStamp;
import dev.sluice.repository.scan.Fingerprint;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class TrackedVersionTest {
  /**
   * What state follows when something happens. RELOADING is AVAILABLE with a load under way,
   * WITHDRAWN is UNLOADING with one, ABANDONED is END with one; FAILED is END with an error. A
   * dash: cannot happen.
   */
  private static final String TABLE =
      """
                | START     | RESUME    | LOADED    | FAIL      | REFUSE    | WITHDRAW  | DRAIN
      START     | LOADING   | START     | -         | -         | END       | END       | -
      LOADING   | -         | LOADING   | AVAILABLE | END       | LOADING   | END       | LOADING
      AVAILABLE | AVAILABLE | AVAILABLE | -         | -         | AVAILABLE | UNLOADING | AVAILABLE
      RELOADING | -         | AVAILABLE | AVAILABLE | AVAILABLE | AVAILABLE | UNLOADING | AVAILABLE
      UNLOADING | LOADING   | UNLOADING | -         | -         | UNLOADING | UNLOADING | END
      WITHDRAWN | -         | LOADING   | UNLOADING | UNLOADING | UNLOADING | UNLOADING | END
      END       | LOADING   | END       | -         | -         | END       | END       | -
      ABANDONED | -         | LOADING   | END       | END       | END       | END       | -
      FAILED    | LOADING   | END       | -         | -         | END       | END       | -
      """;

  private static final LoadAttempt FIRST = attempt(1);
  private static final LoadAttempt SECOND = attempt(2);
  private static final Failure WHY = new Failure(ErrorCode.INVALID_ARGUMENT, "broken");

  enum Event {
    START,
    RESUME,
    LOADED,
    FAIL,
    REFUSE,
    WITHDRAW,
    DRAIN
  }

  private final TrackedVersion version = new TrackedVersion(1);
  private final LiveVersion first = live();
  private final LiveVersion second = live();

  @ParameterizedTest(name = "{0} on {1} becomes {2}")
  @MethodSource("cells")
  void everyEventInEveryState(String state, Event event, VersionState next) {
    bring(state);
    happen(event);
    assertThat(version.state()).isEqualTo(next);
  }

  static Stream<Arguments> cells() {
    List<List<String>> rows = TABLE.lines().map(TrackedVersionTest::row).toList();
    List<String> events = rows.getFirst();
    return rows.stream().skip(1).flatMap(row -> cells(events, row));
  }

  private static List<String> row(String line) {
    return Arrays.stream(line.split("\\|", -1)).map(String::strip).toList();
  }

  private static Stream<Arguments> cells(List<String> events, List<String> row) {
    return IntStream.range(1, row.size())
        .filter(column -> !row.get(column).equals("-"))
        .mapToObj(column ->
            Arguments.of(
                row.getFirst(),
                Event.valueOf(events.get(column)),
                VersionState.valueOf(row.get(column))));
  }

  private void bring(String state) {
    switch (state) {
      case "START" -> {}
      case "LOADING" -> version.startLoading(FIRST);
      case "AVAILABLE" -> available();
      case "RELOADING" -> {
        available();
        version.startLoading(SECOND);
      }
      case "UNLOADING" -> {
        available();
        version.withdraw();
      }
      case "WITHDRAWN" -> {
        bring("RELOADING");
        version.withdraw();
      }
      case "END" -> {
        bring("UNLOADING");
        version.drained(first);
      }
      case "ABANDONED" -> {
        bring("LOADING");
        version.withdraw();
      }
      case "FAILED" -> {
        bring("LOADING");
        version.failed(WHY);
      }
      default -> throw new AssertionError(state);
    }
  }

  private void happen(Event event) {
    switch (event) {
      case START -> version.startLoading(SECOND);
      case RESUME -> version.resume();
      case LOADED -> version.loaded(second);
      case FAIL -> version.failed(WHY);
      case REFUSE -> version.refuse(WHY);
      case WITHDRAW -> version.withdraw();
      case DRAIN -> version.drained(first);
    }
  }

  @Test
  void loadingAnewGivesTheFormerBack() {
    bring("RELOADING");
    assertThat(version.loaded(second)).isSameAs(first);
    assertThat(version.live()).isSameAs(second);
  }

  @Test
  void whatWasLoadedForNothingIsGivenBack() {
    bring("ABANDONED");
    assertThat(version.loaded(second)).isSameAs(second);
    assertThat(version.served()).isFalse();
  }

  @Test
  void aFailedReloadKeepsTheFormerAndSaysWhy() {
    bring("RELOADING");
    assertThat(version.failed(WHY)).isTrue();
    assertThat(version.live()).isSameAs(first);
    assertThat(version.status().error()).contains(WHY);
  }

  @Test
  void successClearsTheError() {
    bring("FAILED");
    version.startLoading(SECOND);
    assertThat(version.failed()).isFalse();
    version.loaded(second);
    assertThat(version.status().error()).isEmpty();
  }

  @Test
  void aFailureOfACancelledRequestIsNotLogged() {
    bring("ABANDONED");
    assertThat(version.failed(WHY)).isFalse();
    assertThat(version.failed()).isFalse();
  }

  @Test
  void theFormersEndDoesNotEndTheVersion() {
    bring("RELOADING");
    version.loaded(second);
    version.withdraw();
    assertThat(version.drained(first)).isFalse();
    assertThat(version.drained(second)).isTrue();
  }

  @Test
  void aFailedVersionNeedsOtherFiles() {
    bring("FAILED");
    assertThat(version.needs(FIRST)).isFalse();
    assertThat(version.needs(SECOND)).isTrue();
  }

  @Test
  void anAvailableVersionNeedsOtherFiles() {
    bring("AVAILABLE");
    assertThat(version.needs(FIRST)).isFalse();
    assertThat(version.needs(SECOND)).isTrue();
  }

  @Test
  void anUnloadedVersionNeedsNoOtherFiles() {
    bring("END");
    assertThat(version.needs(FIRST)).isTrue();
  }

  @Test
  void aVersionThatLoadsNeedsNothing() {
    for (String state : List.of("LOADING", "RELOADING", "WITHDRAWN", "ABANDONED")) {
      var other = new TrackedVersionTest();
      other.bring(state);
      assertThat(other.version.needs(SECOND)).as(state).isFalse();
    }
  }

  @Test
  void theSameRefusalIsNewOnce() {
    assertThat(version.refuse(WHY)).isTrue();
    assertThat(version.refuse(WHY)).isFalse();
    assertThat(version.needs(FIRST)).isTrue();
  }

  private void available() {
    version.startLoading(FIRST);
    version.loaded(first);
  }

  private static LoadAttempt attempt(long size) {
    var file = new FileStamp("model.onnx", size, Instant.EPOCH);
    return new LoadAttempt(
        Path.of("1"), new Fingerprint(List.of(file)), ModelConfig.DEFAULT, List.of());
  }

  private static LiveVersion live() {
    var model = new FakeLoader.FakeModel(Path.of("digits"), ModelConfig.DEFAULT);
    return new LiveVersion(new ModelId("digits", 1), 1, model, _ -> {});
  }
}
