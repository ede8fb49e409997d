package dev.sluice.protocol.openai.http;

import dev.sluice.inference.InferenceResponse;
import dev.sluice.protocol.codec.JsonWriter;
import dev.sluice.tensor.BytesElements;
import dev.sluice.tensor.NamedTensor;
import io.vertx.core.buffer.Buffer;
import java.lang.foreign.ValueLayout;
import java.util.Optional;

/**
 * Writes the answers of one request for a completion, whole or as the chunks of a stream.
 *
 * @param id names the completion
 * @param model the name in the request
 * @param created when it was asked for, in seconds since 1970
 * @param usage whether a stream ends with the numbers of tokens
 */
record CompletionWriter(String id, String model, long created, boolean usage) {
  /** Returns the whole answer; borrows the response. */
  Buffer whole(InferenceResponse response) {
    var out = new JsonWriter(256);
    head(out);
    choice(out, response);
    return usage(out.raw(",\"usage\":"), response).raw('}').toBuffer();
  }

  /**
   * Returns the data of a stream's next event; the last one is two if the usage is wanted. Borrows
   * the response.
   */
  Buffer chunk(InferenceResponse response) {
    var out = new JsonWriter(256);
    head(out);
    choice(out, response);
    if (usage) {
      out.raw(",\"usage\":null");
    }
    out.raw('}');
    if (usage && output(response, OpenAiModels.FINISH_REASON).isPresent()) {
      out.raw("\n\ndata: ");
      head(out);
      usage(out.raw("[],\"usage\":"), response).raw('}');
    }
    return out.toBuffer();
  }

  private void head(JsonWriter out) {
    out.raw("{\"id\":").string(id).raw(",\"object\":\"text_completion\",\"created\":");
    out.number(created).raw(",\"model\":").string(model).raw(",\"choices\":");
  }

  private static void choice(JsonWriter out, InferenceResponse response) {
    out.raw("[{\"index\":0,\"text\":");
    text(out, output(response, OpenAiModels.TEXT), "\"\"");
    out.raw(",\"logprobs\":null,\"finish_reason\":");
    text(out, output(response, OpenAiModels.FINISH_REASON), "null");
    out.raw("}]");
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

  private static JsonWriter usage(JsonWriter out, InferenceResponse response) {
    long prompt = number(response, OpenAiModels.PROMPT_TOKENS);
    long completion = number(response, OpenAiModels.COMPLETION_TOKENS);
    out.raw("{\"prompt_tokens\":").number(prompt);
    out.raw(",\"completion_tokens\":").number(completion);
    return out.raw(",\"total_tokens\":").number(prompt + completion).raw('}');
  }

  private static long number(InferenceResponse response, String name) {
    return output(response, name)
        .map(found -> found.tensor().data().get(ValueLayout.JAVA_LONG, 0))
        .orElse(0L);
  }

  private static Optional<NamedTensor> output(InferenceResponse response, String name) {
    return response.outputs().stream().filter(output -> output.name().equals(name)).findFirst();
  }
}
