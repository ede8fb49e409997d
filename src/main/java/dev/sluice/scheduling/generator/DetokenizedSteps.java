package dev.sluice.scheduling.generator;

import dev.sluice.inference.InferenceRequest;
import dev.sluice.scheduling.stream.StreamSteps;
import dev.sluice.tensor.NamedTensor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decode steps of one stream whose prompt is tokenized and whose tokens are detokenized.
 *
 * @param asked the request in the loop's words; taken over
 * @param steps the loop's own
 */
record DetokenizedSteps(Tokenizer tokenizer, InferenceRequest asked, StreamSteps steps)
    implements StreamSteps {
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
