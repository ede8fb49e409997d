package dev.sluice.ops;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.telemetry.Telemetry;
import dev.sluice.testing.Polling;
import dev.sluice.testing.PrometheusPage;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the page says of the process, its Java VM and the processors. */
class ProcessMetersTest {
  private final Telemetry telemetry = Telemetry.unseen();
  private final ProcessMeters meters = new ProcessMeters(telemetry);

  @AfterEach
  void close() {
    meters.close();
  }

  private PrometheusPage page() {
    return new PrometheusPage(telemetry.page());
  }

  @Test
  void processHasTheNamesOfAllPrometheusClients() throws Exception {
    PrometheusPage page = page();

    assertThat(page.sum("process_cpu_seconds_total")).isPositive();
    assertThat(page.sum("process_start_time_seconds"))
        .isBetween(1.7e9, System.currentTimeMillis() / 1e3);
    assertThat(page.sum("process_max_fds")).isGreaterThanOrEqualTo(page.sum("process_open_fds"));
    assertThat(page.family("process_cpu_time_ns_total")).isNull();
    if (Files.exists(Path.of("/proc/self/status"))) {
      assertThat(page.sum("process_resident_memory_bytes")).isGreaterThan(1 << 20);
      assertThat(ResidentMemory.bytes())
          .hasValueSatisfying(bytes -> assertThat(bytes).isGreaterThan(1 << 20));
    }
  }

  @Test
  void javaVmHasThoseOfMicrometer() {
    PrometheusPage page = page();

    assertThat(page.sum("jvm_memory_used_bytes", "area", "heap")).isPositive();
    assertThat(page.sum("jvm_threads_live_threads"))
        .isGreaterThanOrEqualTo(page.sum("jvm_threads_daemon_threads"));
    assertThat(page.sum("jvm_classes_loaded_classes")).isPositive();
    assertThat(page.sum("system_cpu_count")).isEqualTo(Runtime.getRuntime().availableProcessors());
  }

  @Test
  void garbageCollectionsAreCountedFromTheFirstPageOn() {
    assertThat(telemetry.page()).doesNotContain("jvm_gc_pause_seconds_count{");
    System.gc();

    Polling.await("it is counted", () -> telemetry.page().contains("cause=\"System.gc()\""));
  }

  @Test
  void closedMetersStayOnThePageAndAreBoundNoMore() {
    var other = Telemetry.unseen();
    new ProcessMeters(other).close();
    assertThat(other.page()).doesNotContain("jvm_");

    page();
    meters.close();
    assertThat(page().sum("system_cpu_count")).isPositive();
  }
}
