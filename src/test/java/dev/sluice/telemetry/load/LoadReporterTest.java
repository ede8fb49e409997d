package dev.sluice.telemetry.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.inference.ModelId;
import dev.sluice.telemetry.Telemetry;
import dev.sluice.telemetry.meter.FailureReason;
import dev.sluice.telemetry.meter.RunMeter;
import dev.sluice.telemetry.meter.VersionMeter;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class LoadReporterTest {
  private static final long MILLI = 1_000_000;
  private static final Offset<Double> EXACT = within(1e-9);

  private final AtomicLong nanos = new AtomicLong(1_000);
  private final AtomicLong processor = new AtomicLong();
  private final VersionMeter version =
      new Telemetry(nanos::get, () -> Instant.EPOCH).version(new ModelId("m", 1));
  private final RunMeter worker = version.worker();
  private final LoadReporter reporter =
      new LoadReporter(LoadReporting.REQUESTED, () -> List.of(version), nanos::get, processor::get);

  private void run(long millis) {
    long since = nanos.get();
    worker.begin(1, "", since);
    worker.computing(since);
    nanos.addAndGet(millis * MILLI);
    worker.computed(nanos.get());
    worker.answered(since, 1, null, null);
    worker.end(nanos.get());
  }

  @Test
  void ratesAndSharesAreThoseSinceTheReportBefore() {
    run(250);
    nanos.addAndGet(250 * MILLI);
    processor.set(100 * MILLI);
    version.refused(FailureReason.REJECTED);
    version.refused(FailureReason.CANCELED);

    LoadReport report = reporter.report();

    assertThat(report.rate()).isCloseTo(4, EXACT);
    assertThat(report.errorRate()).isCloseTo(2, EXACT);
    assertThat(report.application()).isCloseTo(0.5, EXACT);
    assertThat(report.processor())
        .isCloseTo(0.2 / Runtime.getRuntime().availableProcessors(), EXACT);
  }

  @Test
  void reportServesFor100Milliseconds() {
    nanos.addAndGet(1_000 * MILLI);
    LoadReport first = reporter.report();
    version.queue(() -> 3);
    nanos.addAndGet(99 * MILLI);
    assertThat(reporter.report()).isSameAs(first);

    nanos.addAndGet(MILLI);
    assertThat(reporter.report().waiting()).isEqualTo(3);
  }

  @Test
  void loadOfLongAgoIsForgottenAfterTwoSeconds() {
    run(1_000);
    assertThat(reporter.report().application()).isCloseTo(1, EXACT);
    for (int i = 0; i < 20; i++) {
      nanos.addAndGet(100 * MILLI);
      reporter.report();
    }

    nanos.addAndGet(100 * MILLI);
    assertThat(reporter.report().application()).isZero();
  }

  @Test
  void afterAPauseTheTimeBeforeItSaysNothing() {
    run(1_000);
    nanos.addAndGet(3_600_000 * MILLI);
    reporter.report();
    run(100);

    assertThat(reporter.report().application()).isCloseTo(1, EXACT);
  }

  @Test
  void requestBehindAPauseIsNotCountedWithThoseBeforeIt() {
    for (int i = 0; i < 600; i++) {
      reporter.arrived(nanos.get());
      run(1);
    }
    reporter.report();
    nanos.addAndGet(15_000 * MILLI);
    reporter.arrived(nanos.get());
    run(100);

    LoadReport report = reporter.report();

    assertThat(report.rate()).isCloseTo(1 / 1.1, EXACT);
    assertThat(report.application()).isCloseTo(0.1 / 1.1, EXACT);
  }

  @Test
  void reportBehindAPauseInWhichNothingCameHasNoRate() {
    run(600);
    nanos.addAndGet(15_000 * MILLI);

    assertThat(reporter.report().rate()).isZero();
  }

  @Test
  void steadyLoadIsReportedHoweverSeldomSomebodyAsks() {
    for (int i = 0; i < 1_000; i++) {
      reporter.arrived(nanos.get());
      run(10);
    }

    assertThat(reporter.report().rate()).isCloseTo(100, within(2.0));
    assertThat(reporter.report().application()).isCloseTo(1, within(0.02));
  }

  @Test
  void requestsThatWaitCountBeforeTheyAreAnswered() {
    version.queue(() -> 5);
    version.admitted(() -> 6);
    nanos.addAndGet(100 * MILLI);

    LoadReport report = reporter.report();

    assertThat(report.application()).isCloseTo(5, EXACT);
    assertThat(report.waiting()).isEqualTo(5);
    assertThat(report.running()).isEqualTo(1);
  }

  @Test
  void memberOfAnEnsembleHasNoNegativeNumberOfRunningRequests() {
    version.queue(() -> 5);

    assertThat(reporter.running()).isZero();
  }

  @Test
  void openStreamsRun() {
    reporter.streams(() -> 2);

    assertThat(reporter.running()).isEqualTo(2);
  }

  @Test
  void textHasNoExponents() {
    var report = new LoadReport(0.000_01, 1e-9, 12_345_678, 0, 0.5, 0, 7);

    assertThat(report.text())
        .isEqualTo(
            "cpu_utilization=0.00001, mem_utilization=0, rps_fractional=0, eps=0.5,"
                + " application_utilization=12345678, named_metrics.num_requests_waiting=0,"
                + " named_metrics.num_requests_running=7");
  }
}
