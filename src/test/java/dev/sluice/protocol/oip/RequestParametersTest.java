package dev.sluice.protocol.oip;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.inference.ParameterValue;
import dev.sluice.inference.RequestOptions;
import dev.sluice.inference.SequenceStep;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RequestParametersTest {
  private final RequestParameters parameters = new RequestParameters((name, _) -> name);

  @Test
  void idOfASequenceWhichIsKeptAfterItsRequestIsShort() {
    var longest = new ParameterValue.Text("x".repeat(128));
    parameters.put("sequence_id", longest);
    assertThat(parameters.options(Map.of()).sequence().id()).isEqualTo(longest);
    var longer = new ParameterValue.Text("x".repeat(129));
    assertThatThrownBy(() -> parameters.put("sequence_id", longer))
        .hasMessage("sequence_id has 129 characters, wanted at most 128");
  }

  @Test
  void withoutParametersThereAreNoOptions() {
    assertThat(parameters.options(Map.of())).isSameAs(RequestOptions.NONE);
    parameters.put("sequence_id", new ParameterValue.Whole(0, false));
    assertThat(parameters.options(Map.of())).isEqualTo(RequestOptions.NONE);
  }

  @Test
  void aHeaderCountsMoreThanAParameterOfItsName() {
    parameters.put("priority", new ParameterValue.Whole(2, false));
    parameters.put("timeout", new ParameterValue.Whole(3, false));
    parameters.put("x-user", new ParameterValue.Text("eve"));
    parameters.put("y", new ParameterValue.Text("z"));
    var ann = new ParameterValue.Text("ann");
    assertThat(parameters.options(Map.of("x-user", ann)))
        .isEqualTo(
            new RequestOptions(
                2, 3, SequenceStep.NONE, Map.of("x-user", ann, "y", new ParameterValue.Text("z"))));
  }
}
