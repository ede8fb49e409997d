package dev.sluice.scheduling.generator;

import dev.sluice.inference.InferenceRequest;
import dev.sluice.scheduling.stream.StreamSteps;
import dev.sluice.tensor.NamedTensor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Decode steps of one stream whose prompt is tokenized and whose tokens are detokenized. */
final class DetokenizedSteps implements StreamSteps {
  private final Tokenizer tokenizer;
  private final InferenceRequest asked;
  private final StreamSteps steps;

  /**
   * @param asked the request in the loop's words; taken over
   * @param steps the loop's own
   */
  DetokenizedSteps(Tokenizer tokenizer, InferenceRequest asked, StreamSteps steps) {
    this.tokenizer = tokenizer;
    this.asked = asked;
    this.steps = steps;
  }

  @Override
  public boolean isOver() {
    return steps.isOver();
  }

  @Override
  public InferenceRequest next() {
    return steps.next();
  }

  @Override
  public @Nullable List<NamedTensor> take(List<NamedTensor> outputs) {
    List<NamedTensor> sent = steps.take(outputs);
    return sent == null ? null : tokenizer.detokenize(sent);
  }

  @Override
  public void close() {
    steps.close();
    asked.close();
  }
}
