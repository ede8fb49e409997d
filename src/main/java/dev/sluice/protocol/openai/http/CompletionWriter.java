package dev.sluice.protocol.openai.http;

import dev.sluice.inference.InferenceResponse;
import dev.sluice.protocol.codec.JsonWriter;
import io.vertx.core.buffer.Buffer;
import java.lang.foreign.ValueLayout;

/**
 * Writes the answers of one request for a completion, whole or as the chunks of a stream.
 *
 * @param id names the completion
 * @param model the name in the request
 * @param created when it was asked for, in seconds since 1970
 * @param usage whether a stream ends with the numbers of tokens
 * @param choice the text
 */
record CompletionWriter(
    String id, String model, long created, boolean usage, CompletionChoice choice) {
  /** Returns the whole answer; borrows the response. */
  Buffer whole(InferenceResponse response) {
    var out = new JsonWriter(256);
    head(out);
    choice.write(out.raw('['), response);
    out.raw(']');
    return usage(out.raw(",\"usage\":"), response).raw('}').toBuffer();
  }

  /**
   * Returns the data of a stream's next event; the last one is two if the usage is wanted. Borrows
   * the response.
   */
  Buffer chunk(InferenceResponse response) {
    var out = new JsonWriter(256);
    head(out);
    choice.write(out.raw('['), response);
    out.raw(']');
    if (usage) {
      out.raw(",\"usage\":null");
    }
    out.raw('}');
    if (usage && CompletionChoice.output(response, OpenAiModels.FINISH_REASON).isPresent()) {
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

  private static JsonWriter usage(JsonWriter out, InferenceResponse response) {
    long prompt = number(response, OpenAiModels.PROMPT_TOKENS);
    long completion = number(response, OpenAiModels.COMPLETION_TOKENS);
    out.raw("{\"prompt_tokens\":").number(prompt);
    out.raw(",\"completion_tokens\":").number(completion);
    return out.raw(",\"total_tokens\":").number(prompt + completion).raw('}');
  }

  private static long number(InferenceResponse response, String name) {
    return CompletionChoice.output(response, name)
        .map(found -> found.tensor().data().get(ValueLayout.JAVA_LONG, 0))
        .orElse(0L);
  }
}
