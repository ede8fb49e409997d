package dev.sluice.serving.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.extension.Answer;
import dev.sluice.extension.ModelSignature;
import dev.sluice.extension.Value;
import dev.sluice.inference.Deadline;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorMemory;
import dev.sluice.testing.WaitingRequests;
import java.util.List;
import org.junit.jupiter.api.Test;

class PluginResponsesTest {
  @Test
  void anAnswerWithAParameterThatNoProtocolHasIsRefusedAndLeavesNothingOpen() {
    try (var requests = new WaitingRequests();
        InferenceRequest request = requests.request(Deadline.NONE, 0, 1)) {
      Answer answer =
          Answer.of(Value.floats("y", Shape.of(2), 1, 2)).with("order", List.of("y", "x"));
      long before = TensorMemory.openBlocks();

      assertThatThrownBy(
              () -> new PluginResponses(ModelSignature.OPEN).respond(request, answer, true))
          .isInstanceOf(InferenceException.class)
          .hasMessageStartingWith("parameter 'order' is java.util.ImmutableCollections");

      assertThat(TensorMemory.openBlocks()).isEqualTo(before);
    }
  }
}
