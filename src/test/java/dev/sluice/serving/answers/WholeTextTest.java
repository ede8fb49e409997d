package dev.sluice.serving.answers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.Signature;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.testing.Tensors;
import io.vertx.core.Future;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Flow;
import org.junit.jupiter.api.Test;

/** One answer of a stream of text. Tensors that it does not close fail the class. */
class WholeTextTest {
  private static final Signature SIGNATURE =
      new Signature(Signature.DEFAULT, "", List.of(), List.of());

  /** A stream that notes whether it goes on. */
  private static final class Source implements Flow.Subscription {
    private long asked;
    private boolean cancelled;

    @Override
    public void request(long count) {
      asked += count;
    }

    @Override
    public void cancel() {
      cancelled = true;
    }
  }

  private final WholeText whole = new WholeText();
  private final Source source = new Source();

  private static InferenceResponse piece(Tensor text, float score) {
    return new InferenceResponse(
        new ModelId("poet", 1),
        SIGNATURE,
        List.of(
            new NamedTensor("text", text),
            new NamedTensor("score", Tensors.floats(Shape.of(1), score))));
  }

  private static Tensor text(String... texts) {
    return Tensors.texts(Shape.of(texts.length), texts);
  }

  private String spoken() {
    try (InferenceResponse answer = whole.response().result()) {
      assertThat(Tensors.toFloats(answer.outputs().get(1).tensor())).containsExactly(3);
      List<byte[]> texts = Tensors.toBytes(answer.outputs().getFirst().tensor());
      assertThat(texts).hasSize(1);
      return new String(texts.getFirst(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void textsAreJoinedAndOfOtherOutputsTheLastOneCounts() {
    whole.onSubscribe(source);
    long ahead = source.asked;
    whole.onNext(piece(text("Hello, ", "世"), 1));
    whole.onNext(piece(text(), 2));
    whole.onNext(piece(text("界".repeat(1000)), 3));
    assertThat(source.asked).isEqualTo(ahead + 3);
    whole.onComplete();
    assertThat(spoken()).isEqualTo("Hello, 世" + "界".repeat(1000));
  }

  @Test
  void aStreamThatFailsFailsTheAnswer() {
    whole.onSubscribe(source);
    whole.onNext(piece(text("Hello"), 1));
    whole.onError(new IllegalStateException("the model is gone"));
    assertThat(whole.response().cause()).hasMessage("the model is gone");
  }

  @Test
  void aStreamThatHasSaidNothingFailsTheAnswer() {
    whole.onSubscribe(source);
    whole.onComplete();
    assertThat(whole.response().cause()).hasMessage("the model has said nothing");
  }

  @Test
  void textThatCannotBeKeptEndsTheStreamAndTheAnswer() {
    whole.onSubscribe(source);
    whole.onNext(piece(text("Hello"), 1));
    Tensor gone = text("there");
    gone.close();
    whole.onNext(piece(gone, 2));
    assertThat(source.cancelled).isTrue();
    assertThat(whole.response()).extracting(Future::failed).isEqualTo(true);
  }
}
