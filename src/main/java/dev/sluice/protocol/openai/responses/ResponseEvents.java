package dev.sluice.protocol.openai.responses;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.protocol.codec.JsonWriter;
import dev.sluice.protocol.openai.generation.GenerationReader;
import dev.sluice.protocol.openai.generation.OpenAiError;
import io.vertx.core.buffer.Buffer;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Writes the events of a response that is answered piece by piece: each has a name and a number, in
 * their order. One thread at a time.
 */
final class ResponseEvents {
  private final ResponseWriter writer;
  private final ResponseAnswer answer;
  private boolean begun;
  private long number;

  /**
   * @param writer writes the response
   * @param answer what the model says in it
   */
  ResponseEvents(ResponseWriter writer, ResponseAnswer answer) {
    this.writer = writer;
    this.answer = answer;
  }

  /** Returns the events of the model's next response, which is borrowed; may be empty. */
  Buffer next(InferenceResponse response) {
    var out = new JsonWriter(512);
    if (!begun) {
      begun = true;
      response(out, "response.created", Status.IN_PROGRESS, null);
      response(out, "response.in_progress", Status.IN_PROGRESS, null);
    }
    answer.add(response, new Items(out));
    if (answer.isOver()) {
      Status status = answer.isCut() ? Status.INCOMPLETE : Status.COMPLETED;
      response(out, "response." + status.word(), status, null);
    }
    return out.toBuffer();
  }

  /** Returns the events of a failure. */
  Buffer failed(InferenceException failure) {
    var out = new JsonWriter(512);
    byte[] error = OpenAiError.of(failure).getBytes();
    event(out, "error", () -> out.raw(',').raw(members(error)));
    response(out, "response.failed", Status.FAILED, failure);
    return out.toBuffer();
  }

  /** Returns what is between the braces of an object. */
  private static MemorySegment members(byte[] object) {
    return MemorySegment.ofArray(object).asSlice(1, object.length - 2L);
  }

  private void response(
      JsonWriter out, String type, Status status, @Nullable InferenceException failure) {
    event(out, type, () -> writer.write(out.raw(",\"response\":"), status, failure));
  }

  /**
   * Writes an event.
   *
   * @param members writes the members besides, each with a comma in front
   */
  private void event(JsonWriter out, String type, Runnable members) {
    out.raw("event: ").raw(type).raw("\ndata: {\"type\":\"").raw(type);
    out.raw("\",\"sequence_number\":").number(number);
    number++;
    members.run();
    out.raw("}\n\n");
  }

  /** Writes the events of items. */
  private final class Items implements OutputListener {
    private final JsonWriter out;

    Items(JsonWriter out) {
      this.out = out;
    }

    @Override
    public void added(OutputItem item) {
      whole("response.output_item.added", item);
      if (item instanceof OutputMessage message) {
        part("response.content_part.added", message);
      }
    }

    @Override
    public void said(OutputMessage message, String text, String logProbs) {
      of(
          message,
          "response.output_text.delta",
          () -> {
            out.raw(",\"content_index\":0,\"delta\":").string(text).raw(",\"logprobs\":[");
            out.raw(GenerationReader.segment(logProbs)).raw(']');
          });
    }

    @Override
    public void argued(OutputCall call, String json) {
      of(call, "response.function_call_arguments.delta", () -> out.raw(",\"delta\":").string(json));
    }

    @Override
    public void ended(OutputItem item) {
      switch (item) {
        case OutputMessage message -> {
          of(
              message,
              "response.output_text.done",
              () -> message.writeText(out.raw(",\"content_index\":0,")));
          part("response.content_part.done", message);
        }
        case OutputCall call ->
            of(call, "response.function_call_arguments.done", () -> call.writeDone(out));
      }
      whole("response.output_item.done", item);
    }

    private void whole(String type, OutputItem item) {
      event(
          out,
          type,
          () -> item.write(out.raw(",\"output_index\":").number(item.index()).raw(",\"item\":")));
    }

    private void part(String type, OutputMessage message) {
      of(message, type, () -> message.writePart(out.raw(",\"content_index\":0,\"part\":")));
    }

    private void of(OutputItem item, String type, Runnable members) {
      event(
          out,
          type,
          () -> {
            out.raw(",\"item_id\":").string(item.id());
            out.raw(",\"output_index\":").number(item.index());
            members.run();
          });
    }
  }
}
