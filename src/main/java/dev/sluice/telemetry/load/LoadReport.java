package dev.sluice.telemetry.load;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiConsumer;

/**
 * How busy the server is, in the fields of {@code xds.data.orca.v3.OrcaLoadReport}. Immutable.
 *
 * @param processor share of the processors that the process uses, from 0 on
 * @param memory share of the memory budget that requests and tensors hold, from 0 to 1
 * @param application requests in the busiest model for each of its workers, those that wait among
 *     them, from 0 on
 * @param rate requests that ended a second
 * @param errorRate those of them that the server could not answer
 * @param waiting requests that wait for a model
 * @param running requests that are under way and do not wait
 */
public record LoadReport(
    double processor,
    double memory,
    double application,
    double rate,
    double errorRate,
    long waiting,
    long running) {
  private static final int DIGITS = 6;

  // Fields of OrcaLoadReport, in cncf/xds, xds/data/orca/v3/orca_load_report.proto.
  private static final Map<String, Integer> FIELDS =
      Map.of(
          "cpu_utilization", 1,
          "mem_utilization", 2,
          "rps_fractional", 6,
          "eps", 7,
          "application_utilization", 9);

  private static final int NAMED_METRICS = 8;
  private static final int FIXED64 = 1;
  private static final int LENGTH_DELIMITED = 2;
  private static final int TYPE_BITS = 3;

  /** Bytes of a report at most. */
  private static final int LONGEST = 256;

  private void fields(BiConsumer<String, Double> to) {
    to.accept("cpu_utilization", processor);
    to.accept("mem_utilization", memory);
    to.accept("rps_fractional", rate);
    to.accept("eps", errorRate);
    to.accept("application_utilization", application);
  }

  private Map<String, Long> named() {
    Map<String, Long> named = new LinkedHashMap<>();
    named.put("num_requests_waiting", waiting);
    named.put("num_requests_running", running);
    return named;
  }

  /** Returns it as names and values. */
  String text() {
    var text = new StringBuilder(LONGEST);
    fields((name, value) -> text.append(name).append('=').append(number(value)).append(", "));
    named()
        .forEach((name, value) ->
            text.append("named_metrics.").append(name).append('=').append(value).append(", "));
    return text.substring(0, text.length() - ", ".length());
  }

  /** Returns it as a JSON object. */
  String json() {
    var json = new StringBuilder(LONGEST).append('{');
    fields((name, value) ->
        json.append('"').append(name).append("\":").append(number(value)).append(','));
    json.append("\"named_metrics\":{");
    named()
        .forEach(
            (name, value) -> json.append('"').append(name).append("\":").append(value).append(','));
    json.setLength(json.length() - 1);
    return json.append("}}").toString();
  }

  /** Returns it as a message of protobuf. */
  byte[] binary() {
    var message = ByteBuffer.allocate(LONGEST).order(ByteOrder.LITTLE_ENDIAN);
    fields((name, value) -> put(message, FIELDS.getOrDefault(name, 0), value));
    named()
        .forEach((name, value) -> {
          byte[] key = name.getBytes(StandardCharsets.UTF_8);
          message.put((byte) (NAMED_METRICS << TYPE_BITS | LENGTH_DELIMITED));
          message.put((byte) (2 + key.length + 1 + Double.BYTES));
          message.put((byte) (1 << TYPE_BITS | LENGTH_DELIMITED)).put((byte) key.length).put(key);
          put(message, 2, value);
        });
    byte[] bytes = new byte[message.position()];
    message.flip().get(bytes);
    return bytes;
  }

  private static void put(ByteBuffer message, int field, double value) {
    message.put((byte) (field << TYPE_BITS | FIXED64)).putDouble(value);
  }

  private static String number(double value) {
    return BigDecimal.valueOf(value)
        .setScale(DIGITS, RoundingMode.HALF_UP)
        .stripTrailingZeros()
        .toPlainString();
  }
}
