package dev.sluice.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.telemetry.meter.Api;
import dev.sluice.telemetry.meter.CallMeter;
import dev.sluice.telemetry.meter.EntryPoint;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TelemetryTest {
  private final Telemetry telemetry = Telemetry.unseen();

  @Test
  void valueIsFoundByTensorflowsOwnPath() {
    telemetry.model("m").calls(Api.V1_PREDICT, EntryPoint.REST).succeeded(0, 1);
    telemetry.loads().opened("/models/m/1", 5_000, true);

    assertThat(telemetry.firstValues())
        .containsEntry(Telemetry.pageName("/tensorflow/serving/request_count"), 1L)
        .containsEntry(Telemetry.pageName("/tensorflow/cc/saved_model/load_latency"), 5L)
        .doesNotContainKey(Telemetry.pageName("/tensorflow/serving/no_such_metric"));
  }

  @Test
  void countsFromManyThreadsAreAllThere() throws InterruptedException {
    int threads = 8;
    int each = 20_000;
    var begin = new CountDownLatch(1);
    List<Thread> counting =
        IntStream.range(0, threads)
            .mapToObj(_ ->
                Thread.ofPlatform()
                    .start(() -> {
                      awaitQuietly(begin);
                      for (int i = 0; i < each; i++) {
                        var record = new CallRecord(telemetry, EntryPoint.GRPC, () -> 0, false);
                        telemetry.model("m");
                        record.measure(Api.OIP_INFER, "m");
                        record.succeeded();
                      }
                    }))
            .toList();
    begin.countDown();
    for (Thread thread : counting) {
      thread.join();
    }

    CallMeter meter = telemetry.model("m").calls(Api.OIP_INFER, EntryPoint.GRPC);
    assertThat(meter.successes()).isEqualTo((long) threads * each);
    assertThat(meter.whole().count(0)).isEqualTo((long) threads * each);
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
