package dev.sluice.protocol.codec;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ParameterValue;
import dev.sluice.transport.Body;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonParameterValueTest {
  private static ParameterValue read(String name, String json) {
    return JsonParameterValue.read(name, new JsonCursor(Body.of(json.getBytes(UTF_8))))
        .orElseThrow();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "9223372036854775808",
        "18446744073709551615",
        "18446744073709551616",
        "-9223372036854775809"
      })
  void wholeNumbersThatWouldBecomeOthersAreRefused(String number) {
    assertThatThrownBy(() -> read("e", number))
        .isInstanceOf(InferenceException.class)
        .hasMessage(
            "parameter \"e\" is "
                + number
                + "; wanted a whole number from -9223372036854775808 to 9223372036854775807");
  }

  @Test
  void numbersOfParametersWithoutSignHaveAll64Bits() {
    assertThat(
            JsonParameterValue.readUnsigned(
                "id", new JsonCursor(Body.of("18446744073709551615".getBytes(UTF_8)))))
        .hasValue(new ParameterValue.Whole(-1, true));
    assertThat(read("e", "9223372036854775807"))
        .isEqualTo(new ParameterValue.Whole(Long.MAX_VALUE, false));
    assertThat(read("e", "1e19")).isEqualTo(new ParameterValue.Fraction(1e19));
  }
}
