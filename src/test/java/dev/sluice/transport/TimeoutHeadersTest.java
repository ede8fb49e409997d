package dev.sluice.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.inference.Deadline;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TimeoutHeadersTest {
  private static final long NOW = 7;
  private static final String OURS = "request-timeout";
  private static final String ENVOY = "x-envoy-expected-rq-timeout-ms";

  private static Deadline read(Map<String, String> headers) {
    return TimeoutHeaders.read(name -> headers.get(name.toString()), NOW);
  }

  @Test
  void noHeaderIsNoDeadline() {
    assertThat(read(Map.of())).isEqualTo(Deadline.NONE);
  }

  @ParameterizedTest
  @CsvSource({
    "2, 2000000000",
    "0.5, 500000000",
    "500ms, 500000000",
    "1.5s, 1500000000",
    "2m, 120000000000",
    "0, 0",
    "99999999m, 5999999940000000000"
  })
  void ourHeaderIsSecondsUnlessItNamesAUnit(String value, long nanos) {
    assertThat(read(Map.of(OURS, value))).isEqualTo(Deadline.at(NOW + nanos));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "soon", "-1", "1h", "1e3", "1 s", ".5", "123456789", "0.0000000001"})
  void ourHeaderInAnotherFormIsTheCallersMistake(String value) {
    assertThatThrownBy(() -> read(Map.of(OURS, value)))
        .isInstanceOf(InferenceException.class)
        .hasMessage(
            "Request-Timeout '"
                + value
                + "' is not a length of time; wanted seconds, or a unit: 2, 0.5, 500ms, 2s or 1m")
        .extracting(ErrorCode::of)
        .isEqualTo(ErrorCode.INVALID_ARGUMENT);
  }

  @Test
  void whatEnvoyAddsIsMilliseconds() {
    assertThat(read(Map.of(ENVOY, "250"))).isEqualTo(Deadline.at(NOW + 250_000_000));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "0", "-1", "soon", "123456789012"})
  void whatEnvoyAddsInAnotherFormIsNotTheCallersMistake(String value) {
    assertThat(read(Map.of(ENVOY, value))).isEqualTo(Deadline.NONE);
  }

  @Test
  void whatClientsTellEnvoyHoldsWithoutOneToo() {
    assertThat(read(Map.of("x-envoy-upstream-rq-timeout-ms", "250", ENVOY, "300")))
        .isEqualTo(Deadline.at(NOW + 250_000_000));
  }

  @Test
  void theEarlierOfBothWins() {
    assertThat(read(Map.of(OURS, "1", ENVOY, "250"))).isEqualTo(Deadline.at(NOW + 250_000_000));
    assertThat(read(Map.of(OURS, "0.1", ENVOY, "250"))).isEqualTo(Deadline.at(NOW + 100_000_000));
  }
}
