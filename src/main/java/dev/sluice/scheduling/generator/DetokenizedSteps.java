package dev.sluice.scheduling.generator;

import dev.sluice.inference.InferenceRequest;
import dev.sluice.scheduling.stream.StreamSteps;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Tensor;
import dev.sluice.text.StreamedText;
import dev.sluice.text.constraint.ConstrainedText;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Decode steps of one stream whose prompt is tokenized and whose tokens are detokenized. A step
 * whose token makes no certain text sends nothing, unless log-probabilities are wanted; the last
 * one says why the stream has ended, and how many tokens there were.
 */
final class DetokenizedSteps implements StreamSteps {
  private final TextOutputs outputs;
  private final LogProbOutputs logProbs;
  private final InferenceRequest asked;
  private final DecodeSteps steps;
  private final @Nullable ConstrainedText constraint;
  private final StreamedText text;
  private final long promptTokens;
  private long tokens;

  /**
   * @param asked the request in the loop's words; taken over
   * @param steps the loop's own
   * @param constraint on the text; taken over; null if there is none
   */
  DetokenizedSteps(
      TextOutputs outputs,
      LogProbOutputs logProbs,
      InferenceRequest asked,
      DecodeSteps steps,
      @Nullable ConstrainedText constraint,
      StreamedText text,
      long promptTokens) {
    this.outputs = outputs;
    this.logProbs = logProbs;
    this.asked = asked;
    this.steps = steps;
    this.constraint = constraint;
    this.text = text;
    this.promptTokens = promptTokens;
  }

  @Override
  public boolean isOver() {
    return steps.isOver() || text.isStopped();
  }

  @Override
  public long cacheBytes() {
    return steps.cacheBytes();
  }

  @Override
  public boolean canRecompute() {
    return steps.canRecompute();
  }

  @Override
  public void recompute() {
    steps.recompute();
  }

  @Override
  public void park() {
    steps.park();
  }

  @Override
  public InferenceRequest next() {
    return steps.next();
  }

  @Override
  public @Nullable List<NamedTensor> take(List<NamedTensor> given) {
    List<NamedTensor> sent = steps.take(given);
    if (sent == null) {
      return null;
    }
    tokens++;
    List<NamedTensor> others = new ArrayList<>(sent.size());
    try {
      String more = "";
      for (NamedTensor output : sent) {
        if (output.name().equals(outputs.choice())) {
          try (Tensor token = output.tensor()) {
            more = more(token);
          }
        } else {
          others.add(output);
        }
      }
      TokenLogProbs wanted = steps.logProbs();
      if (wanted != null) {
        logProbs.add(others, wanted);
      }
      return spoken(more, others);
    } catch (RuntimeException | Error e) {
      NamedTensor.closeAll(others);
      NamedTensor.closeAll(sent);
      throw e;
    }
  }

  private String more(Tensor token) {
    String more = steps.isStoppedByToken() ? "" : text.append(number(token));
    return isOver() ? more + text.end() : more;
  }

  private static long number(Tensor token) {
    return token.type() == DataType.INT64
        ? token.data().get(ValueLayout.JAVA_LONG, 0)
        : token.data().get(ValueLayout.JAVA_INT, 0);
  }

  private @Nullable List<NamedTensor> spoken(String more, List<NamedTensor> others) {
    if (isOver()) {
      boolean stopped = steps.isStopped() || text.isStopped();
      outputs.addEnd(others, more, stopped ? "stop" : "length", counts());
      return others;
    }
    if (!more.isEmpty() || !others.isEmpty()) {
      outputs.addText(others, more);
    }
    return others.isEmpty() ? null : others;
  }

  private Map<String, Long> counts() {
    return Map.of(
        TextOutputs.PROMPT_TOKENS, promptTokens,
        TextOutputs.COMPLETION_TOKENS, tokens,
        TextOutputs.CACHED_TOKENS, (long) steps.reusedTokens());
  }

  @Override
  public void close() {
    steps.close();
    asked.close();
    if (constraint != null) {
      constraint.close();
    }
  }
}
