package dev.sluice.telemetry.meter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.sluice.inference.ComposingModelTimes;
import dev.sluice.inference.ModelId;
import dev.sluice.telemetry.LatencyForms;
import dev.sluice.telemetry.Telemetry;
import dev.sluice.telemetry.meter.ModelStatistics.BatchTimes;
import dev.sluice.telemetry.meter.ModelStatistics.Times;
import dev.sluice.telemetry.trace.Traces;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class VersionMeterTest {
  private static final ModelId MODEL = new ModelId("m", 3);

  private final AtomicLong nanos = new AtomicLong(1_000);
  private final Telemetry telemetry =
      new Telemetry(nanos::get, () -> Instant.ofEpochMilli(1_700_000_000_000L));
  private final VersionMeter version = telemetry.version(MODEL);
  private final RunMeter worker = version.worker();

  /** Two requests that wait 100 and 40 ns, are joined in 5, run in 20 and taken apart in 3. */
  private static void runTwo(RunMeter worker, AtomicLong nanos, long firstRows, long otherRows) {
    long since = nanos.get();
    nanos.addAndGet(100);
    worker.begin(firstRows + otherRows, "serving_default", nanos.get());
    nanos.addAndGet(5);
    worker.computing(nanos.get());
    nanos.addAndGet(20);
    worker.computed(nanos.get());
    worker.answered(since, firstRows, null, null);
    worker.answered(since + 60, otherRows, null, null);
    nanos.addAndGet(3);
    worker.end(nanos.get());
  }

  @Test
  void joinedRunIsOneExecutionAndChargedToEachOfItsRequests() {
    runTwo(worker, nanos, 8, 1);

    ModelStatistics now = version.statistics();
    assertThat(now.executionCount()).isEqualTo(1);
    assertThat(now.inferenceCount()).isEqualTo(9);
    assertThat(now.requests().success()).isEqualTo(new Times(2, 128 + 68));
    assertThat(now.requests().queue()).isEqualTo(new Times(2, 100 + 40));
    assertThat(now.requests().computeInput()).isEqualTo(new Times(2, 10));
    assertThat(now.requests().computeInfer()).isEqualTo(new Times(2, 40));
    assertThat(now.requests().computeOutput()).isEqualTo(new Times(2, 6));
    assertThat(now.lastInferenceMillis()).isEqualTo(1_700_000_000_000L);
  }

  @Test
  void streamIsOneRequestThatIsAnsweredWhenItEndsAndItsStepsAreRuns() {
    long since = nanos.get();
    for (int i = 0; i < 3; i++) {
      worker.begin(1, "serving_default", nanos.get());
      worker.computing(nanos.get());
      nanos.addAndGet(20);
      worker.computed(nanos.get());
      worker.answered(nanos.get() - 25, 1, true, null, null);
      worker.end(nanos.get());
    }
    assertThat(version.answered()).isEqualTo(new Times(0, 0));
    version.streamed("serving_default", since);

    ModelStatistics now = version.statistics();
    assertThat(now.executionCount()).isEqualTo(3);
    assertThat(now.inferenceCount()).isEqualTo(3);
    assertThat(now.requests().success()).isEqualTo(new Times(1, 60));
    assertThat(now.requests().computeInfer()).isEqualTo(new Times(3, 60));
    assertThat(version.signatures()).containsExactly(entry("serving_default", new Times(1, 60)));
  }

  @Test
  void latenciesAreShownInTheFormsThatAreWanted() {
    String plain = page(LatencyForms.COUNTERS);
    assertThat(plain)
        .contains("nv_inference_queue_duration_us{model=\"m\",version=\"1\"} 0.14")
        .doesNotContain("summary", "first_response");
    String all = page(new LatencyForms(false, true, List.of(0.9, 0.5)));
    assertThat(all)
        .doesNotContain("_duration_us", "nv_cache_hit_duration", "nv_cache_miss_summary_per_model{")
        .contains(
            "nv_inference_request_success{model=\"m\",version=\"1\"} 3",
            "# TYPE nv_inference_request_summary_us summary",
            "nv_inference_request_summary_us_sum{model=\"m\",version=\"1\"} 0.2",
            "nv_inference_request_summary_us_count{model=\"m\",version=\"1\"} 3",
            "nv_inference_queue_summary_us{model=\"m\",version=\"1\",quantile=\"0.5\"} 0.128",
            "nv_inference_queue_summary_us{model=\"m\",version=\"1\",quantile=\"0.9\"} 0.128",
            "nv_inference_compute_infer_summary_us_count{model=\"m\",version=\"1\"} 2",
            "nv_cache_hit_summary_per_model_count{model=\"m\",version=\"1\"} 1",
            "nv_inference_first_response_histogram_ms_bucket{model=\"m\",version=\"1\",le=\"100\"}"
                + " 0",
            "nv_inference_first_response_histogram_ms_bucket{model=\"m\",version=\"1\",le=\"500\"}"
                + " 1",
            "nv_inference_first_response_histogram_ms_sum{model=\"m\",version=\"1\"} 200");
  }

  private String page(LatencyForms forms) {
    var told = new Telemetry(nanos::get, () -> Instant.EPOCH, Traces.off(), forms);
    VersionMeter shown = told.version(new ModelId("m", 1));
    shown.show();
    runTwo(shown.worker(), nanos, 1, 1);
    if (!forms.quantiles().isEmpty()) {
      shown.cacheHit(3, 4);
    }
    shown.responses().made(0, 200_000_000);
    shown.responses().made(1, 400_000_000);
    return told.page();
  }

  @Test
  void batchSizesCountRunsAndGrowWhicheverWorkerRan() {
    runTwo(version.worker(), nanos, 4, 4);
    runTwo(worker, nanos, 1, 1);
    runTwo(worker, nanos, 4, 4);

    assertThat(version.statistics().batches())
        .containsExactly(
            new BatchTimes(2, new Times(1, 5), new Times(1, 20), new Times(1, 3)),
            new BatchTimes(8, new Times(2, 10), new Times(2, 40), new Times(2, 6)));
  }

  @Test
  void requestsAreCountedBySignatureOnWhicheverWorkerTheyRan() {
    runTwo(worker, nanos, 1, 1);
    RunMeter other = version.worker();
    runTwo(other, nanos, 1, 1);
    other.begin(1, "regress", nanos.get());
    other.computing(nanos.get());
    nanos.addAndGet(7);
    other.computed(nanos.get());
    other.answered(nanos.get(), 1, null, null);
    other.end(nanos.get());
    runTwo(other, nanos, 1, 1);

    assertThat(version.signatures())
        .containsExactly(
            entry("regress", new Times(1, 7)), entry("serving_default", new Times(6, 60)));
  }

  @Test
  void signaturesBeyondTheLimitAreNotKept() {
    for (int i = 0; i < 300; i++) {
      worker.begin(1, "signature" + i, nanos.get());
    }
    assertThat(version.signatures()).hasSize(256);
  }

  @Test
  void eachRunIsInTheHistogramOfRunsOnceAndEachOfItsRequestsInThatOfWaiting() {
    runTwo(worker, nanos, 4, 4);
    runTwo(version.worker(), nanos, 1, 1);

    assertThat(version.runLengths()).extracting(Distribution::sum).containsExactly(20L, 20L);
    assertThat(version.runLengths()).extracting(runs -> runs.count(0)).containsExactly(1L, 1L);
    assertThat(version.waitingTimes()).extracting(Distribution::sum).containsExactly(140L, 140L);
    assertThat(version.waitingTimes()).extracting(all -> all.count(0)).containsExactly(2L, 2L);
  }

  @Test
  void runThatBeginsAgainCountsOnlyWhatItEnds() {
    worker.begin(2, "serving_default", nanos.get());
    worker.computing(nanos.get());
    worker.computed(nanos.get());

    runTwo(worker, nanos, 1, 1);

    assertThat(version.statistics().executionCount()).isEqualTo(1);
    assertThat(version.statistics().requests().success().count()).isEqualTo(2);
  }

  @Test
  void aRejectedRequestIsAFailureThatTookNoTime() {
    version.refused(FailureReason.REJECTED);
    worker.failed(FailureReason.REJECTED, nanos.get() - 7);
    worker.failed(FailureReason.BACKEND, nanos.get() - 3);

    assertThat(version.failures(FailureReason.REJECTED)).isEqualTo(2);
    assertThat(version.failures(FailureReason.BACKEND)).isEqualTo(1);
    assertThat(version.failures(FailureReason.OTHER)).isZero();
    assertThat(version.statistics().requests().fail()).isEqualTo(new Times(3, 10));
  }

  @Test
  void answerFromACacheIsASuccessThatDidNotRun() {
    version.cacheHit(5, 50);
    version.cacheMiss(8);

    ModelStatistics now = version.statistics();
    assertThat(now.requests().success()).isEqualTo(new Times(1, 50));
    assertThat(now.requests().cacheHit()).isEqualTo(new Times(1, 5));
    assertThat(now.requests().cacheMiss()).isEqualTo(new Times(1, 8));
    assertThat(now.requests().computeInfer().count()).isZero();
    assertThat(now.inferenceCount()).isZero();
  }

  @Test
  void requestToAnEnsembleHasRowsAndTheTimesOfItsMembers() {
    long since = version.now();
    nanos.addAndGet(30);
    var times = new ComposingModelTimes();
    times.add(0, 1, 3, 6, 10);
    times.add(10, 15, 15, 21, 22);
    version.composed(4, since, times);
    version.composedFailed(FailureReason.CANCELED, since);

    ModelStatistics now = version.statistics();
    assertThat(now.requests().success()).isEqualTo(new Times(1, 30));
    assertThat(now.requests().fail()).isEqualTo(new Times(1, 30));
    assertThat(now.inferenceCount()).isEqualTo(4);
    assertThat(now.executionCount()).isEqualTo(1);
    assertThat(now.requests().queue()).isEqualTo(new Times(1, 6));
    assertThat(now.requests().computeInput()).isEqualTo(new Times(1, 2));
    assertThat(now.requests().computeInfer()).isEqualTo(new Times(1, 9));
    assertThat(now.requests().computeOutput()).isEqualTo(new Times(1, 5));
    assertThat(now.batches())
        .containsExactly(new BatchTimes(4, new Times(1, 2), new Times(1, 9), new Times(1, 5)));
    assertThat(version.failures(FailureReason.CANCELED)).isEqualTo(1);
  }

  @Test
  void sizesThatClientsChooseAreCountedApartUpToALimit() {
    for (int size = 1; size <= 3_000; size++) {
      runTwo(worker, nanos, size, size);
    }

    assertThat(version.statistics().batches()).hasSize(1024);
    assertThat(version.statistics().executionCount()).isEqualTo(3_000);
  }

  @Test
  void onlyTheVersionThatWasShownLastIsSeenAndItsPredecessorCannotHideIt() {
    VersionMeter newer = telemetry.version(MODEL);
    version.show();
    newer.show();
    version.forget();

    assertThat(telemetry.loaded(MODEL)).isSameAs(newer);
    newer.forget();
    assertThat(telemetry.loaded(MODEL)).isNull();
  }
}
