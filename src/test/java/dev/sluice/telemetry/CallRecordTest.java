package dev.sluice.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.inference.ErrorCode;
import dev.sluice.telemetry.meter.Api;
import dev.sluice.telemetry.meter.CallMeter;
import dev.sluice.telemetry.meter.EntryPoint;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class CallRecordTest {
  private final AtomicLong nanos = new AtomicLong();
  private final Telemetry telemetry = new Telemetry(nanos::get, InstantSource.system());
  private final CallMeter meter = telemetry.model("m").calls(Api.TFS_PREDICT, EntryPoint.GRPC);

  private CallRecord begin(String model) {
    var record = new CallRecord(telemetry, EntryPoint.GRPC, nanos::get, false);
    record.measure(Api.TFS_PREDICT, model);
    return record;
  }

  @Test
  void callThatSucceedsIsTimedStepByStep() {
    CallRecord record = begin("m");
    nanos.addAndGet(10);
    record.asked();
    nanos.addAndGet(200);
    record.answered();
    nanos.addAndGet(3_000);
    record.succeeded();

    assertThat(meter.successes()).isEqualTo(1);
    assertThat(meter.decoding().sum()).isEqualTo(10);
    assertThat(meter.asking().sum()).isEqualTo(200);
    assertThat(meter.encoding().sum()).isEqualTo(3_000);
    assertThat(meter.whole().sum()).isEqualTo(3_210);
  }

  @Test
  void callEndsOnce() {
    CallRecord record = begin("m");
    record.failed(ErrorCode.CANCELLED);
    record.failed(ErrorCode.INTERNAL);
    record.succeeded();

    assertThat(meter.failures(ErrorCode.CANCELLED)).isEqualTo(1);
    assertThat(meter.failures()).isEqualTo(1);
    assertThat(meter.successes()).isZero();
  }

  @Test
  void callThatFailsIsNotTimed() {
    begin("m").failed(ErrorCode.INVALID_ARGUMENT);

    assertThat(meter.whole().count(0)).isZero();
    assertThat(meter.failures(ErrorCode.INVALID_ARGUMENT)).isEqualTo(1);
  }

  @Test
  void firstNamesThatNoModelHasAreCountedByThemselvesAndTheOthersAsOne() {
    for (int i = 0; i < 22; i++) {
      begin("nobody" + i).failed(ErrorCode.NOT_FOUND);
    }
    begin("x".repeat(1_000)).failed(ErrorCode.NOT_FOUND);

    assertThat(telemetry.page())
        .contains(
            ":tensorflow:serving:request_count{model_name=\"nobody0\",status=\"NOT_FOUND\"} 1\n",
            ":tensorflow:serving:request_count{model_name=\"\",status=\"NOT_FOUND\"} 3\n")
        .doesNotContain("nobody20");
  }

  @Test
  void modelThatComesGoesOnWithWhatItsNameWasAskedBefore() {
    begin("late").failed(ErrorCode.NOT_FOUND);
    telemetry.model("late");
    begin("late").failed(ErrorCode.NOT_FOUND);

    assertThat(telemetry.page())
        .containsOnlyOnce(":tensorflow:serving:request_count{model_name=\"late\"")
        .contains("request_count{model_name=\"late\",status=\"NOT_FOUND\"} 2\n");
  }

  @Test
  void unmeasuredCallIsNotCounted() {
    String before = telemetry.page();
    new CallRecord(telemetry, EntryPoint.REST, nanos::get, false).succeeded();

    assertThat(telemetry.page()).isEqualTo(before);
  }

  @Test
  void streamedAnswerIsOpenUntilItEndsAndItsMessagesAreTimed() {
    CallRecord record = begin("m");
    nanos.addAndGet(10);
    StreamRecord stream = record.stream();
    CallMeter.Messages messages = meter.messages();
    assertThat(messages.open()).isEqualTo(1);

    nanos.addAndGet(200);
    stream.sent();
    nanos.addAndGet(3_000);
    stream.sent();
    nanos.addAndGet(40_000);
    stream.sent();
    stream.ended();
    stream.ended();
    stream.sent();

    assertThat(messages.open()).isZero();
    assertThat(messages.first().sum()).isEqualTo(210);
    assertThat(messages.between().sum()).isEqualTo(43_000);
  }

  @Test
  void streamsAreOnThePageByModelAndProtocolOnceThereWasOne() {
    CallRecord record = begin("m");
    assertThat(telemetry.page()).doesNotContain("sluice_streams_open{");

    StreamRecord stream = record.stream();
    stream.sent();

    String labels = "api=\"predict\",model=\"m\",protocol=\"tfs\",transport=\"grpc\"";
    assertThat(telemetry.page())
        .contains(
            "sluice_streams_open{" + labels + "} 1.0\n",
            "sluice_stream_first_message_seconds_count{" + labels + "} 1\n",
            "sluice_stream_message_interval_seconds_count{" + labels + "} 0\n");
  }

  @Test
  void streamOfAnUnmeasuredCallIsNotCounted() {
    String before = telemetry.page();
    StreamRecord stream = new CallRecord(telemetry, EntryPoint.REST, nanos::get, false).stream();
    stream.sent();
    stream.ended();

    assertThat(telemetry.page()).isEqualTo(before);
  }
}
