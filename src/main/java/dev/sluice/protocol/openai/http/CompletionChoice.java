package dev.sluice.protocol.openai.http;

import dev.sluice.inference.InferenceResponse;
import dev.sluice.protocol.codec.JsonWriter;
import dev.sluice.protocol.openai.generation.ChosenToken;
import dev.sluice.protocol.openai.generation.GeneratorOutputs;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * One of the texts that a completion has, written whole or piece by piece. One thread at a time.
 */
final class CompletionChoice extends Choice {
  private final int index;

  /** What the text begins with, until it is written. */
  private String beginning;

  /** Characters of the tokens so far. */
  private long offset;

  /**
   * @param index its number among those of the completion
   * @param beginning what its text begins with, in front of what the model says; may be empty
   */
  CompletionChoice(int index, String beginning) {
    this.index = index;
    this.beginning = beginning;
  }

  @Override
  List<Consumer<JsonWriter>> pieces(InferenceResponse response) {
    return List.of(out -> whole(out, response));
  }

  @Override
  void whole(JsonWriter out, InferenceResponse response) {
    out.raw("{\"index\":").number(index).raw(",\"text\":");
    if (beginning.isEmpty()) {
      GeneratorOutputs.write(out, response, GeneratorOutputs.TEXT, "\"\"");
    } else {
      out.string(beginning + GeneratorOutputs.text(response, GeneratorOutputs.TEXT));
      beginning = "";
    }
    out.raw(",\"logprobs\":");
    if (GeneratorOutputs.output(response, ChosenToken.TEXTS).isPresent()) {
      logProbs(out, ChosenToken.of(response));
    } else {
      out.raw("null");
    }
    out.raw(",\"finish_reason\":");
    GeneratorOutputs.write(out, response, GeneratorOutputs.FINISH_REASON, "null");
    out.raw('}');
    count(response);
  }

  private void logProbs(JsonWriter out, List<ChosenToken> tokens) {
    list(out.raw("{\"tokens\":"), tokens, token -> out.string(token.text()));
    list(out.raw(",\"token_logprobs\":"), tokens, token -> out.number(token.logProb()));
    list(out.raw(",\"top_logprobs\":"), tokens, token -> likeliest(out, token));
    list(out.raw(",\"text_offset\":"), tokens, token -> offset(out, token));
    out.raw('}');
  }

  private static void list(
      JsonWriter out, List<ChosenToken> tokens, Consumer<ChosenToken> element) {
    String before = "[";
    for (ChosenToken token : tokens) {
      out.raw(before);
      element.accept(token);
      before = ",";
    }
    out.raw(tokens.isEmpty() ? "[]" : "]");
  }

  private void offset(JsonWriter out, ChosenToken token) {
    out.number(offset);
    offset += token.characters();
  }

  /** Writes the likeliest tokens, and the chosen one if it is none of them. */
  private static void likeliest(JsonWriter out, ChosenToken token) {
    // A name is written once: two tokens may be the same text.
    Map<String, Float> byText = new LinkedHashMap<>();
    token.top().forEach(top -> byText.putIfAbsent(top.text(), top.logProb()));
    byText.putIfAbsent(token.text(), token.logProb());
    String before = "{";
    for (Map.Entry<String, Float> each : byText.entrySet()) {
      out.raw(before).key(each.getKey()).number(each.getValue());
      before = ",";
    }
    out.raw('}');
  }
}
