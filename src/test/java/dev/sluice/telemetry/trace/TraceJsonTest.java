package dev.sluice.telemetry.trace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.inference.ModelId;
import dev.sluice.inference.RequestTrace.Activity;
import dev.sluice.inference.RequestTrace.Event;
import dev.sluice.inference.RequestTrace.Point;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TraceJsonTest {
  @Test
  void modelsAndPointsAreElements() {
    assertThat(
            TraceJson.elements(
                List.of(
                    new Event.Begun(1, 0, new ModelId("a\"b", 3), ""),
                    new Event.Begun(2, 1, new ModelId("m", 1), "r\n1"),
                    new Event.Reached(2, Point.QUEUE_START, 17))))
        .isEqualTo(
            "{\"id\":1,\"model_name\":\"a\\\"b\",\"model_version\":3},"
                + "{\"id\":2,\"model_name\":\"m\",\"model_version\":1,\"request_id\":\"r\\u000a1\","
                + "\"parent_id\":1},"
                + "{\"id\":2,\"timestamps\":[{\"name\":\"QUEUE_START\",\"ns\":17}]}");
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "BOOL,    0001,             '0,1'",
    "UINT8,   ff01,             '255,1'",
    "INT8,    ff01,             '-1,1'",
    "UINT16,  ffff,             65535",
    "INT16,   ffff,             -1",
    "UINT32,  ffffffff,         4294967295",
    "INT32,   ffffffff,         -1",
    "UINT64,  ffffffffffffffff, 18446744073709551615",
    "INT64,   ffffffffffffffff, -1",
    "FP16,    003c,             1.0",
    "BF16,    803f,             1.0",
    "FP32,    0000803f0000003f, '1.0,0.5'",
    "FP64,    000000000000f03f, 1.0",
  })
  void valuesOfTensorsAreTexts(DataType type, String bytes, String text) {
    byte[] data = HexFormat.of().parseHex(bytes);
    var carried =
        new Event.Carried(
            5, Activity.TENSOR_QUEUE_INPUT, "x", type, Shape.of(1, data.length), data);
    assertThat(TraceJson.elements(List.of(carried)))
        .isEqualTo(
            "{\"id\":5,\"activity\":\"TENSOR_QUEUE_INPUT\",\"tensor\":{\"name\":\"x\",\"data\":\"%s\","
                    .formatted(text)
                + "\"shape\":\"1,%d\",\"dtype\":\"%s\"}}".formatted(data.length, type));
  }

  @Test
  void textsAreQuotedAsInCsv() {
    byte[] data = "\3\0\0\0a\"b\0\0\0\0".getBytes(StandardCharsets.UTF_8);
    var carried =
        new Event.Carried(
            1, Activity.TENSOR_BACKEND_OUTPUT, "y", DataType.BYTES, Shape.of(2), data);
    assertThat(TraceJson.elements(List.of(carried)))
        .contains("\"data\":\"\\\"a\\\"\\\"b\\\",\\\"\\\"\",\"shape\":\"2\",\"dtype\":\"BYTES\"");
  }

  @Test
  void aTensorTooLargeForTheTraceIsNamedWithoutData() {
    var carried =
        new Event.Carried(
            1, Activity.TENSOR_QUEUE_INPUT, "x", DataType.FP32, Shape.of(1_000), null);
    assertThat(TraceJson.elements(List.of(carried)))
        .isEqualTo(
            "{\"id\":1,\"activity\":\"TENSOR_QUEUE_INPUT_OMITTED\",\"tensor\":{\"name\":\"x\","
                + "\"shape\":\"1000\",\"dtype\":\"FP32\"}}");
  }
}
