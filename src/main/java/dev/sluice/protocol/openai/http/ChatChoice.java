package dev.sluice.protocol.openai.http;

import dev.sluice.inference.InferenceResponse;
import dev.sluice.protocol.codec.JsonWriter;
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
    CompletionChoice.text(out, response, OpenAiModels.TEXT, "\"\"");
    out.raw(",\"refusal\":null},\"logprobs\":");
    logProbs(out, response);
    out.raw(",\"finish_reason\":");
    CompletionChoice.text(out, response, OpenAiModels.FINISH_REASON, "null");
    out.raw('}');
    count(response);
  }

  private void count(InferenceResponse response) {
    promptTokens = CompletionChoice.number(response, OpenAiModels.PROMPT_TOKENS);
    completionTokens = CompletionChoice.number(response, OpenAiModels.COMPLETION_TOKENS);
  }

  @Override
  public List<Consumer<JsonWriter>> pieces(InferenceResponse response) {
    List<Consumer<JsonWriter>> pieces = new ArrayList<>();
    if (!begun) {
      begun = true;
      pieces.add(out -> speaker(out));
    }
    boolean ends = CompletionChoice.output(response, OpenAiModels.FINISH_REASON).isPresent();
    boolean tokens = CompletionChoice.output(response, ChosenToken.TEXTS).isPresent();
    if (!ends || tokens || !CompletionChoice.text(response).isEmpty()) {
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
    CompletionChoice.text(out, response, OpenAiModels.TEXT, "\"\"");
    logProbs(out.raw("},\"logprobs\":"), response);
    out.raw(",\"finish_reason\":null}");
  }

  private void end(JsonWriter out, InferenceResponse response) {
    delta(out).raw("},\"logprobs\":null,\"finish_reason\":");
    CompletionChoice.text(out, response, OpenAiModels.FINISH_REASON, "null");
    out.raw('}');
  }

  private static void logProbs(JsonWriter out, InferenceResponse response) {
    if (CompletionChoice.output(response, ChosenToken.TEXTS).isEmpty()) {
      out.raw("null");
      return;
    }
    out.raw("{\"content\":[");
    String before = "";
    for (ChosenToken token : ChosenToken.of(response)) {
      token(out.raw(before), token);
      out.raw(",\"top_logprobs\":[");
      for (int i = 0; i < token.top().size(); i++) {
        token(out.raw(i == 0 ? "" : ","), token.top().get(i));
        out.raw('}');
      }
      out.raw("]}");
      before = ",";
    }
    out.raw("],\"refusal\":null}");
  }

  /** Writes a token, and leaves its object open. */
  private static void token(JsonWriter out, ChosenToken token) {
    out.raw("{\"token\":").string(token.text()).raw(",\"logprob\":").number(token.logProb());
    out.raw(",\"bytes\":[");
    String before = "";
    for (byte each : token.bytes()) {
      out.raw(before).number(Byte.toUnsignedLong(each));
      before = ",";
    }
    out.raw(']');
  }
}
