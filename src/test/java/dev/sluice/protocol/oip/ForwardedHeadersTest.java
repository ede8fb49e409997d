package dev.sluice.protocol.oip;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ParameterValue.Text;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ForwardedHeadersTest {
  private static final List<Map.Entry<String, String>> HEADERS =
      List.of(
          Map.entry("X-User", "ann"),
          Map.entry("x-user", "bob"),
          Map.entry("accept", "x-user"),
          Map.entry("not-x-user", "eve"));

  @Test
  void headersWhoseWholeNamesMatchInAnyCaseAreParameters() {
    var forwarded = new ForwardedHeaders(Optional.of("x-.*"), Optional.of("ACCEPT"));
    assertThat(forwarded.ofHttp(HEADERS))
        .containsExactly(Map.entry("x-user", new Text("ann, bob")));
    assertThat(forwarded.ofGrpc(HEADERS)).containsExactly(Map.entry("accept", new Text("x-user")));
  }

  @Test
  void noneAreWithoutAPattern() {
    assertThat(ForwardedHeaders.NONE.ofHttp(HEADERS)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "sequence_id",
        "sequence_start",
        "sequence_end",
        "priority",
        "timeout",
        "headers",
        "binary_data_output",
        "triton_x",
        "Sequence_Id",
        "TRITON_X"
      })
  void namesThatMeanSomethingElseAreRefused(String name) {
    var forwarded = new ForwardedHeaders(Optional.of(".*"), Optional.empty());
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> forwarded.ofHttp(List.of(Map.entry(name, "1"))))
        .withMessage("Header '" + name + "' is reserved for Triton usage and cannot be forwarded.")
        .extracting(InferenceException::code)
        .isEqualTo(ErrorCode.INVALID_ARGUMENT);
  }
}
