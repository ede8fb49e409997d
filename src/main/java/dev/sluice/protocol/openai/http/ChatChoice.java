package dev.sluice.protocol.openai.http;

import dev.sluice.inference.InferenceResponse;
import dev.sluice.protocol.codec.JsonWriter;
import dev.sluice.protocol.openai.generation.ChosenToken;
import dev.sluice.protocol.openai.generation.GeneratorOutputs;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * One of the answers in a conversation: a message, or what comes to it. The first piece says who
 * speaks, the last one why it ends.
 */
final class ChatChoice implements Choice {
  private final int index;
  private boolean begun;
  private long promptTokens;
  private long completionTokens;

  /**
   * @param index its number among those of the call
   */
  ChatChoice(int index) {
    this.index = index;
  }

  @Override
  public long promptTokens() {
    return promptTokens;
  }

  @Override
  public long completionTokens() {
    return completionTokens;
  }

  @Override
  public void whole(JsonWriter out, InferenceResponse response) {
    out.raw("{\"index\":").number(index);
    out.raw(",\"message\":{\"role\":\"assistant\",\"content\":");
    GeneratorOutputs.write(out, response, GeneratorOutputs.TEXT, "\"\"");
    out.raw(",\"refusal\":null},\"logprobs\":");
    logProbs(out, response);
    out.raw(",\"finish_reason\":");
    GeneratorOutputs.write(out, response, GeneratorOutputs.FINISH_REASON, "null");
    out.raw('}');
    count(response);
  }

  private void count(InferenceResponse response) {
    promptTokens = GeneratorOutputs.number(response, GeneratorOutputs.PROMPT_TOKENS);
    completionTokens = GeneratorOutputs.number(response, GeneratorOutputs.COMPLETION_TOKENS);
  }

  @Override
  public List<Consumer<JsonWriter>> pieces(InferenceResponse response) {
    List<Consumer<JsonWriter>> pieces = new ArrayList<>();
    if (!begun) {
      begun = true;
      pieces.add(out -> speaker(out));
    }
    boolean ends = GeneratorOutputs.output(response, GeneratorOutputs.FINISH_REASON).isPresent();
    boolean tokens = GeneratorOutputs.output(response, ChosenToken.TEXTS).isPresent();
    if (!ends || tokens || !GeneratorOutputs.text(response, GeneratorOutputs.TEXT).isEmpty()) {
      pieces.add(out -> content(out, response));
    }
    if (ends) {
      pieces.add(out -> end(out, response));
      count(response);
    }
    return pieces;
  }

  private JsonWriter delta(JsonWriter out) {
    return out.raw("{\"index\":").number(index).raw(",\"delta\":{");
  }

  private void speaker(JsonWriter out) {
    delta(out).raw("\"role\":\"assistant\",\"content\":\"\",\"refusal\":null}");
    out.raw(",\"logprobs\":null,\"finish_reason\":null}");
  }

  private void content(JsonWriter out, InferenceResponse response) {
    delta(out).raw("\"content\":");
    GeneratorOutputs.write(out, response, GeneratorOutputs.TEXT, "\"\"");
    logProbs(out.raw("},\"logprobs\":"), response);
    out.raw(",\"finish_reason\":null}");
  }

  private void end(JsonWriter out, InferenceResponse response) {
    delta(out).raw("},\"logprobs\":null,\"finish_reason\":");
    GeneratorOutputs.write(out, response, GeneratorOutputs.FINISH_REASON, "null");
    out.raw('}');
  }

  private static void logProbs(JsonWriter out, InferenceResponse response) {
    if (GeneratorOutputs.output(response, ChosenToken.TEXTS).isEmpty()) {
      out.raw("null");
      return;
    }
    out.raw("{\"content\":[");
    ChosenToken.write(out, ChosenToken.of(response));
    out.raw("],\"refusal\":null}");
  }
}
