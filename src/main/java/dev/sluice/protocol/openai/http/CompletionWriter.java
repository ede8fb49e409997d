package dev.sluice.protocol.openai.http;

import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.tokens.ToolCallForm;
import dev.sluice.protocol.codec.JsonWriter;
import dev.sluice.protocol.openai.generation.TokenUsage;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Writes the answers to one request for completions, whole or as the chunks of streams. A choice is
 * written by one thread at a time.
 */
final class CompletionWriter {
  /** What is between the data of two events. */
  private static final String NEXT_EVENT = "\n\ndata: ";

  private final CompletionKind kind;
  private final String id;
  private final CompletionRequest request;
  private final long created;
  private final List<Choice> choices = new ArrayList<>();

  /**
   * @param kind of the completion
   * @param id names it
   * @param created when it was asked for, in seconds since 1970
   * @param form in which the model writes tool calls; empty if that is not known
   */
  CompletionWriter(
      CompletionKind kind,
      String id,
      CompletionRequest request,
      long created,
      Optional<ToolCallForm> form) {
    this.kind = kind;
    this.id = id;
    this.request = request;
    this.created = created;
    for (int i = 0; i < request.choices(); i++) {
      choices.add(kind.choice(i, request, form));
    }
  }

  /** Returns the whole answer; borrows the responses, one for each choice. */
  Buffer whole(List<InferenceResponse> responses) {
    var out = new JsonWriter(256);
    head(out);
    for (int i = 0; i < responses.size(); i++) {
      choices.get(i).whole(out.raw(i == 0 ? '[' : ','), responses.get(i));
    }
    usage(out.raw("],\"usage\":"));
    return out.raw('}').toBuffer();
  }

  /** Returns of each choice what makes the data of an event of a response, which it borrows. */
  List<Function<InferenceResponse, Buffer>> chunks() {
    return choices.stream().<Function<InferenceResponse, Buffer>>map(this::chunks).toList();
  }

  private Function<InferenceResponse, Buffer> chunks(Choice choice) {
    return response -> {
      var out = new JsonWriter(256);
      String before = "";
      for (Consumer<JsonWriter> piece : choice.pieces(response)) {
        head(out.raw(before));
        piece.accept(out.raw('['));
        out.raw(request.usage() ? "],\"usage\":null}" : "]}");
        before = NEXT_EVENT;
      }
      return out.toBuffer();
    };
  }

  /** Returns the data of the last event of a stream; empty if there is none. */
  Buffer ending() {
    if (!request.usage()) {
      return Buffer.buffer();
    }
    var out = new JsonWriter(256);
    head(out);
    usage(out.raw("[],\"usage\":"));
    return out.raw('}').toBuffer();
  }

  private void head(JsonWriter out) {
    out.raw("{\"id\":").string(id).raw(",\"object\":");
    out.string(kind.object(request.stream()))
        .raw(",\"created\":")
        .number(created)
        .raw(",\"model\":")
        .string(request.model())
        .raw(",\"choices\":");
  }

  /** Writes the numbers of tokens: those of a prompt once, however many answers it has. */
  private void usage(JsonWriter out) {
    var all = TokenUsage.NONE;
    for (int i = 0; i < choices.size(); i++) {
      TokenUsage usage = choices.get(i).usage();
      all = all.plus(i % request.n() == 0 ? usage : usage.withoutPrompt());
    }
    out.raw("{\"prompt_tokens\":").number(all.prompt());
    out.raw(",\"completion_tokens\":").number(all.completion());
    out.raw(",\"total_tokens\":").number(all.total());
    out.raw(",\"prompt_tokens_details\":{\"cached_tokens\":").number(all.cached()).raw("}}");
  }
}
