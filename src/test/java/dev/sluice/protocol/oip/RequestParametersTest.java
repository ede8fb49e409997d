package dev.sluice.protocol.oip;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.inference.ParameterValue;
import org.junit.jupiter.api.Test;

class RequestParametersTest {
  private final RequestParameters parameters = new RequestParameters((name, _) -> name);

  @Test
  void idOfASequenceWhichIsKeptAfterItsRequestIsShort() {
    var longest = new ParameterValue.Text("x".repeat(128));
    parameters.put("sequence_id", longest);
    assertThat(parameters.options().sequence().id()).isEqualTo(longest);
    var longer = new ParameterValue.Text("x".repeat(129));
    assertThatThrownBy(() -> parameters.put("sequence_id", longer))
        .hasMessage("sequence_id has 129 characters, wanted at most 128");
  }
}
