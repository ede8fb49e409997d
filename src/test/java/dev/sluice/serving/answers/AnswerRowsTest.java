package dev.sluice.serving.answers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.Signature;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.testing.Tensors;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Several answers as rows of one response. Tensors that stay open fail the class. */
class AnswerRowsTest {
  private static final Signature SIGNATURE =
      new Signature(Signature.DEFAULT, "", List.of(), List.of());

  private static InferenceResponse answer(NamedTensor... outputs) {
    return new InferenceResponse(new ModelId("poet", 1), SIGNATURE, List.of(outputs));
  }

  private static NamedTensor floats(String name, Shape shape, float... values) {
    return new NamedTensor(name, Tensors.floats(shape, values));
  }

  private static NamedTensor text(String name, Shape shape, String... texts) {
    return new NamedTensor(name, Tensors.texts(shape, texts));
  }

  private static List<String> texts(Tensor tensor) {
    return Tensors.toBytes(tensor).stream()
        .map(text -> new String(text, StandardCharsets.UTF_8))
        .toList();
  }

  @Test
  void eachOutputHasTheRowsOfAllAnswersInTheirOrder() {
    try (InferenceResponse joined =
        AnswerRows.join(
            List.of(
                answer(text("text", Shape.of(1), "one"), floats("x", Shape.of(1, 2), 1, 2)),
                answer(text("text", Shape.of(1), "other"), floats("x", Shape.of(1, 2), 3, 4))))) {
      Tensor text = joined.outputs().getFirst().tensor();
      assertThat(text.shape()).isEqualTo(Shape.of(2));
      assertThat(texts(text)).containsExactly("one", "other");
      Tensor x = joined.outputs().getLast().tensor();
      assertThat(x.shape()).isEqualTo(Shape.of(2, 2));
      assertThat(Tensors.toFloats(x)).containsExactly(1, 2, 3, 4);
    }
  }

  @Test
  void whatThereIsOfEachTokenIsPaddedToTheLongestAnswer() {
    try (InferenceResponse joined =
        AnswerRows.join(
            List.of(
                answer(
                    text("tokens", Shape.of(1, 1), "a"),
                    floats("top_logprobs", Shape.of(1, 1, 2), -1, -2)),
                answer(
                    text("tokens", Shape.of(1, 2), "b", "c"),
                    floats("top_logprobs", Shape.of(1, 2, 2), -3, -4, -5, -6))))) {
      Tensor tokens = joined.outputs().getFirst().tensor();
      assertThat(tokens.shape()).isEqualTo(Shape.of(2, 2));
      assertThat(texts(tokens)).containsExactly("a", "", "b", "c");
      Tensor top = joined.outputs().getLast().tensor();
      assertThat(top.shape()).isEqualTo(Shape.of(2, 2, 2));
      assertThat(Tensors.toFloats(top)).containsExactly(-1, -2, -9999, -9999, -3, -4, -5, -6);
    }
  }

  @Test
  void outputsThatAreNoRowsOfOneAreRefusedByName() {
    List<InferenceResponse> longer =
        List.of(
            answer(floats("x", Shape.of(1), 1), floats("hidden", Shape.of(1, 1), 1)),
            answer(floats("x", Shape.of(1), 1), floats("hidden", Shape.of(1, 2), 1, 2)));
    assertThatThrownBy(() -> AnswerRows.join(longer))
        .isInstanceOf(InferenceException.class)
        .hasMessageStartingWith(
            "output \"hidden\" has shape [1,1] in one answer and [1,2] in another");
    List<InferenceResponse> missing =
        List.of(answer(floats("x", Shape.of(1), 1)), answer(floats("y", Shape.of(1), 1)));
    assertThatThrownBy(() -> AnswerRows.join(missing))
        .isInstanceOf(InferenceException.class)
        .hasMessage("output \"x\" is in one answer and not in another; ask for one answer");
  }
}
