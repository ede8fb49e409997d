package dev.sluice.protocol.openai.http;

import dev.sluice.inference.InferenceResponse;
import dev.sluice.protocol.codec.JsonWriter;
import dev.sluice.tensor.BytesElements;
import dev.sluice.tensor.NamedTensor;
import java.lang.foreign.ValueLayout;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * One of the texts that a completion has, written whole or piece by piece. One thread at a time.
 */
final class CompletionChoice implements Choice {
  private final int index;

  /** What the text begins with, until it is written. */
  private String beginning;

  /** Characters of the tokens so far. */
  private long offset;

  private long promptTokens;
  private long completionTokens;

  /**
   * @param index its number among those of the completion
   * @param beginning what its text begins with, in front of what the model says; may be empty
   */
  CompletionChoice(int index, String beginning) {
    this.index = index;
    this.beginning = beginning;
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
  public List<Consumer<JsonWriter>> pieces(InferenceResponse response) {
    return List.of(out -> whole(out, response));
  }

  @Override
  public void whole(JsonWriter out, InferenceResponse response) {
    out.raw("{\"index\":").number(index).raw(",\"text\":");
    if (beginning.isEmpty()) {
      text(out, response, OpenAiModels.TEXT, "\"\"");
    } else {
      out.string(beginning + text(response));
      beginning = "";
    }
    out.raw(",\"logprobs\":");
    if (output(response, ChosenToken.TEXTS).isPresent()) {
      logProbs(out, ChosenToken.of(response));
    } else {
      out.raw("null");
    }
    out.raw(",\"finish_reason\":");
    text(out, response, OpenAiModels.FINISH_REASON, "null");
    out.raw('}');
    promptTokens = number(response, OpenAiModels.PROMPT_TOKENS);
    completionTokens = number(response, OpenAiModels.COMPLETION_TOKENS);
  }

  /** Returns the number of an output; 0 if the response does not have it. */
  static long number(InferenceResponse response, String name) {
    return output(response, name)
        .map(found -> found.tensor().data().get(ValueLayout.JAVA_LONG, 0))
        .orElse(0L);
  }

  /** Returns the text of a response; empty if it has none. */
  static String text(InferenceResponse response) {
    Optional<NamedTensor> text = output(response, OpenAiModels.TEXT);
    if (text.isEmpty()) {
      return "";
    }
    var elements = new BytesElements(text.get().tensor());
    return elements.next() ? elements.toText() : "";
  }

  /** Writes the text of an output, or other JSON if the response does not have it. */
  static void text(JsonWriter out, InferenceResponse response, String name, String otherwise) {
    Optional<NamedTensor> output = output(response, name);
    if (output.isPresent()) {
      var elements = new BytesElements(output.get().tensor());
      if (elements.next()) {
        out.string(elements.data(), elements.offset(), elements.length());
        return;
      }
    }
    out.raw(otherwise);
  }

  /** Returns an output, if the response has it. */
  static Optional<NamedTensor> output(InferenceResponse response, String name) {
    return response.outputs().stream().filter(output -> output.name().equals(name)).findFirst();
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
