package dev.sluice.protocol.openai.encoder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.Signature;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.transport.Body;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Answers of models that do not behave, and bodies that say a thing twice. */
class EncoderCallsTest {
  private static final String RERANK =
      "{\"model\": \"m\", \"query\": \"q\", \"documents\": [\"a\", \"b\"], \"return_documents\":"
          + " true}";

  private static Body body(String json) {
    return Body.of(json.getBytes(StandardCharsets.UTF_8));
  }

  private static String answer(EncoderCall call, String output, Shape shape, float... numbers) {
    Tensor tensor = Tensor.allocate(DataType.FP32, shape);
    for (int i = 0; i < numbers.length; i++) {
      tensor.data().setAtIndex(ValueLayout.JAVA_FLOAT, i, numbers[i]);
    }
    var signature = new Signature("", "", List.of(), List.of());
    var outputs = List.of(new NamedTensor(output, tensor));
    try (call;
        var response = new InferenceResponse(new ModelId("m", 1), signature, outputs)) {
      return call.answer(response, "id").toString();
    }
  }

  private static EncoderCall embedding(int dimensions) {
    return EmbeddingReader.read(
        body("{\"model\": \"m\", \"input\": [\"a\", \"b\"], \"dimensions\": " + dimensions + "}"));
  }

  private static EncoderCall ranking() {
    return RerankReader.read(body(RERANK));
  }

  @Test
  void vectorsAreShortenedToTheSameLength() {
    assertThat(answer(embedding(1), "embedding", Shape.of(2, 2), 3, 4, -6, 8))
        .isEqualTo(
            "{\"object\":\"list\",\"data\":[{\"object\":\"embedding\",\"index\":0,\"embedding\":"
                + "[5.0]},{\"object\":\"embedding\",\"index\":1,\"embedding\":[-10.0]}],\"model\":"
                + "\"m\",\"usage\":{\"prompt_tokens\":0,\"total_tokens\":0}}");
  }

  @Test
  void theBestTextIsFirstAndNoNumberLast() {
    assertThat(answer(ranking(), "score", Shape.of(2), Float.NaN, -1))
        .isEqualTo(
            "{\"id\":\"id\",\"results\":[{\"index\":1,\"relevance_score\":-1.0,\"document\":"
                + "{\"text\":\"b\"}},{\"index\":0,\"relevance_score\":null,\"document\":{\"text\":"
                + "\"a\"}}],\"meta\":{\"tokens\":{\"input_tokens\":0}}}");
  }

  @Test
  void aModelThatAnswersTooFewRowsHasFailed() {
    assertThatThrownBy(() -> answer(embedding(1), "embedding", Shape.of(1, 2), 3, 4))
        .hasMessage("the model answered output \"embedding\" with 1 rows; wanted 2, one for each")
        .extracting(failure -> ((InferenceException) failure).code())
        .isEqualTo(ErrorCode.INTERNAL);
    assertThatThrownBy(() -> answer(ranking(), "score", Shape.of(3), 1, 2, 3))
        .hasMessage("the model answered output \"score\" with 3 rows; wanted 2, one for each");
  }

  @Test
  void moreDimensionsThanTheModelAnswersAreRefused() {
    assertThatThrownBy(() -> answer(embedding(3), "embedding", Shape.of(2, 2), 3, 4, 5, 6))
        .hasMessage("parameter \"dimensions\" is 3; wanted a whole number from 1 to 2");
  }

  @Test
  void textsAreSaidOnce() {
    assertThatThrownBy(
            () -> EmbeddingReader.read(body("{\"model\": \"m\", \"input\": \"a\", \"input\": []}")))
        .hasMessage("parameter \"input\" is there twice; wanted it once");
    assertThatThrownBy(
            () -> RerankReader.read(body("{\"documents\": [\"a\"], \"documents\": [\"b\"]}")))
        .hasMessage("parameter \"documents\" is there twice; wanted it once");
  }
}
