package dev.sluice.protocol.oip;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ParameterValue;
import dev.sluice.inference.ParameterValue.Text;
import dev.sluice.inference.RequestOptions;
import dev.sluice.inference.SequenceStep;
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
          Map.entry("X-User", "bob"),
          Map.entry("accept", "x-user"),
          Map.entry("not-x-user", "eve"));

  @Test
  void headersWhoseWholeNamesMatchInAnyCaseAreParameters() {
    var forwarded = new ForwardedHeaders(Optional.of("x-.*"), Optional.of("ACCEPT"));
    assertThat(forwarded.ofHttp(HEADERS)).containsExactly(Map.entry("X-User", new Text("ann")));
    assertThat(forwarded.ofGrpc(HEADERS)).containsExactly(Map.entry("accept", new Text("x-user")));
  }

  @Test
  void noneAreWithoutAPattern() {
    assertThat(ForwardedHeaders.NONE.ofHttp(HEADERS)).isEmpty();
    assertThat(ForwardedHeaders.add(Map.of(), RequestOptions.NONE)).isSameAs(RequestOptions.NONE);
  }

  @Test
  void aHeaderCountsMoreThanAParameterOfItsName() {
    Map<String, ParameterValue> said = Map.of("x-user", new Text("eve"), "y", new Text("z"));
    var options = new RequestOptions(2, 3, SequenceStep.NONE, said);
    assertThat(ForwardedHeaders.add(Map.of("x-user", new Text("ann")), options))
        .isEqualTo(
            new RequestOptions(
                2, 3, SequenceStep.NONE, Map.of("x-user", new Text("ann"), "y", new Text("z"))));
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
        "triton_x"
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
