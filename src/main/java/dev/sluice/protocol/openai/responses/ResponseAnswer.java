package dev.sluice.protocol.openai.responses;

import dev.sluice.inference.InferenceResponse;
import dev.sluice.protocol.codec.JsonWriter;
import dev.sluice.protocol.openai.generation.ChosenToken;
import dev.sluice.protocol.openai.generation.GenerationReader;
import dev.sluice.protocol.openai.generation.GeneratorOutputs;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * What the model has said so far: the text of a message, and how it ends. What is collected counts
 * as memory of the call. One thread at a time; responses are borrowed.
 */
final class ResponseAnswer {
  private final JsonWriter text = new JsonWriter(256);
  private final JsonWriter logProbs = new JsonWriter(64);
  private byte @Nullable [] whole;
  private byte[] wholeLogProbs = {};
  private String finishReason = "";
  private long inputTokens;
  private long outputTokens;

  /**
   * Takes the next response.
   *
   * @return whether it says something: the last one may say only how the answer ends
   */
  boolean add(InferenceResponse response) {
    String said = GeneratorOutputs.text(response, GeneratorOutputs.TEXT);
    text.raw(GenerationReader.segment(said));
    boolean tokens = hasTokens(response);
    if (tokens) {
      JsonWriter list = logProbs.raw(logProbs.size() == 0 ? "" : ",");
      ChosenToken.write(list, ChosenToken.of(response));
    }
    finishReason = GeneratorOutputs.text(response, GeneratorOutputs.FINISH_REASON);
    inputTokens = GeneratorOutputs.number(response, GeneratorOutputs.PROMPT_TOKENS);
    outputTokens = GeneratorOutputs.number(response, GeneratorOutputs.COMPLETION_TOKENS);
    return !isOver() || tokens || !said.isEmpty();
  }

  /** Returns whether a response has the log-probabilities of its tokens. */
  static boolean hasTokens(InferenceResponse response) {
    return GeneratorOutputs.output(response, ChosenToken.TEXTS).isPresent();
  }

  /** Returns whether the model has said all. */
  boolean isOver() {
    return !finishReason.isEmpty();
  }

  /** Returns whether the model had more to say than it was allowed to. */
  boolean isCut() {
    return finishReason.equals("length");
  }

  /** Writes the members of a text that is complete. Nothing is added afterwards. */
  void write(JsonWriter out) {
    if (whole == null) {
      whole = text.toBuffer().getBytes();
      wholeLogProbs = logProbs.toBuffer().getBytes();
    }
    out.raw("\"text\":").string(MemorySegment.ofArray(whole), 0, whole.length);
    out.raw(",\"logprobs\":[").raw(MemorySegment.ofArray(wholeLogProbs)).raw(']');
  }

  /** Writes the numbers of tokens. */
  void usage(JsonWriter out) {
    out.raw("{\"input_tokens\":").number(inputTokens);
    out.raw(",\"input_tokens_details\":{\"cached_tokens\":0},\"output_tokens\":")
        .number(outputTokens);
    out.raw(",\"output_tokens_details\":{\"reasoning_tokens\":0},\"total_tokens\":");
    out.number(inputTokens + outputTokens).raw('}');
  }
}
