package dev.sluice.protocol.openai.http;

import dev.sluice.inference.InferenceResponse;
import dev.sluice.protocol.codec.JsonWriter;
import dev.sluice.tensor.BytesElements;
import dev.sluice.tensor.NamedTensor;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * One of the texts that a completion has, written whole or piece by piece. One thread at a time.
 */
final class CompletionChoice {
  private final int index;

  /** Characters of the tokens so far. */
  private long offset;

  /**
   * @param index its number among those of the completion
   */
  CompletionChoice(int index) {
    this.index = index;
  }

  /** Writes what a response has of it; borrows the response. */
  void write(JsonWriter out, InferenceResponse response) {
    out.raw("{\"index\":").number(index).raw(",\"text\":");
    text(out, output(response, OpenAiModels.TEXT), "\"\"");
    out.raw(",\"logprobs\":");
    if (output(response, ChosenToken.TEXTS).isPresent()) {
      logProbs(out, ChosenToken.of(response));
    } else {
      out.raw("null");
    }
    out.raw(",\"finish_reason\":");
    text(out, output(response, OpenAiModels.FINISH_REASON), "null");
    out.raw('}');
  }

  private static void text(JsonWriter out, Optional<NamedTensor> output, String otherwise) {
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
