package dev.sluice.ops;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.ops.History.Span;
import dev.sluice.telemetry.CallRecord;
import dev.sluice.telemetry.RunTotals;
import dev.sluice.telemetry.Telemetry;
import dev.sluice.telemetry.meter.Api;
import dev.sluice.telemetry.meter.EntryPoint;
import io.vertx.core.json.JsonArray;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class ModelHistoriesTest {
  private static final int STEP_SECONDS = 5;

  private final Telemetry telemetry = Telemetry.unseen();
  private final ModelHistories histories = new ModelHistories(0, 0, Map.of(), Map.of());
  private Map<String, RunTotals> runs = Map.of();
  private long seconds;

  private void call(String model) {
    telemetry.model(model);
    var record = new CallRecord(telemetry, EntryPoint.REST, () -> 0, false);
    record.measure(Api.GRPS_PREDICT, model);
    record.succeeded();
  }

  private void seconds(int more) {
    for (int i = 0; i < more; i++) {
      seconds++;
      histories.add(seconds * 1000, seconds * 1_000_000_000, telemetry.callTotals(), runs);
    }
  }

  private JsonArray points(String model, String figure) {
    return Objects.requireNonNull(
        histories.of(model).json(Span.MINUTES, 0).getJsonObject("figures").getJsonArray(figure));
  }

  @Test
  void aHistoryBeginsWithTheFirstRequestAndCountsIt() {
    telemetry.model("b");
    seconds(STEP_SECONDS);
    assertThat(points("a", "time_ms")).isEmpty();
    call("a");
    seconds(STEP_SECONDS);
    assertThat(points("a", "requests_per_second")).containsExactly(0.2);
    assertThat(points("b", "time_ms")).isEmpty();
  }

  @Test
  void runsAndQueuesAreThoseOfTheModelAlone() {
    telemetry.model("a");
    telemetry.model("b");
    runs = Map.of("a", new RunTotals(2, 6, 1), "b", new RunTotals(1, 1, 7));
    seconds(STEP_SECONDS);
    assertThat(points("a", "rows_per_run")).containsExactly(3.0);
    assertThat(points("a", "queued")).containsExactly(1.0);
    assertThat(points("b", "queued")).containsExactly(7.0);
  }

  @Test
  void anIdleModelMakesRoomAndABusyOneDoesNot() {
    for (int i = 0; i < ModelHistories.MOST; i++) {
      call("m" + i);
    }
    seconds(300);
    call("m0");
    seconds(295);
    call("late");
    seconds(STEP_SECONDS);
    assertThat(points("late", "time_ms")).as("none was idle for ten minutes").isEmpty();
    seconds(STEP_SECONDS);
    call("late");
    seconds(STEP_SECONDS);
    assertThat(points("late", "requests_per_second")).containsExactly(0.2);
    assertThat(points("m0", "time_ms")).isNotEmpty();
    assertThat(points("m1", "time_ms")).isEmpty();
  }
}
