package dev.sluice.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.telemetry.meter.LoadMeters;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Callers that may load models can name any number of them; what is kept of each is bounded. */
class BoundedMetersTest {
  @Test
  void foldersBeyondTheLimitAreCountedTogether() {
    LoadMeters loads = Telemetry.unseen().loads();
    for (int i = 0; i < 2 * LoadMeters.MOST; i++) {
      loads.opened("/tmp/sluice-model-" + i, 1, i % 2 == 0);
      loads.warmedUp("/tmp/sluice-model-" + i, 1, 3);
      loads.warmUpFailed("/tmp/sluice-model-" + i, 1, "why " + i);
      loads.requestLogged("model " + i, "OK");
    }
    assertThat(loads.attempts()).hasSizeBetween(LoadMeters.MOST, LoadMeters.MOST + 2);
    assertThat(loads.loadNanos()).hasSizeBetween(LoadMeters.MOST, LoadMeters.MOST + 1);
    assertThat(loads.warmUps()).hasSizeBetween(LoadMeters.MOST, LoadMeters.MOST + 2);
    assertThat(loads.requestLogs()).hasSizeBetween(LoadMeters.MOST, LoadMeters.MOST + 1);
    assertThat(nanos(loads, LoadMeters.OTHERS)).isEqualTo(LoadMeters.MOST);
    loads.opened("/tmp/sluice-model-0", 5, true);
    assertThat(nanos(loads, "/tmp/sluice-model-0")).isEqualTo(6);
  }

  private static long nanos(LoadMeters loads, String path) {
    return Objects.requireNonNull(loads.loadNanos().get(path)).sum();
  }

  @Test
  void modelsBeyondTheLimitShareOneMeter() {
    Telemetry telemetry = Telemetry.unseen();
    for (int i = 0; i < Telemetry.MOST_MODELS; i++) {
      telemetry.model("m" + i);
    }
    int before = telemetry.models().size();
    for (int i = 0; i < 1_000; i++) {
      telemetry.model("more" + i);
    }
    assertThat(telemetry.models()).hasSize(before);
    assertThat(telemetry.model("more1")).isSameAs(telemetry.model("more2"));
    assertThat(telemetry.model("m5").model()).isEqualTo("m5");
  }
}
