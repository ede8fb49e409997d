package dev.sluice.protocol.openai.responses;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.protocol.codec.JsonWriter;
import dev.sluice.protocol.openai.generation.ChosenToken;
import dev.sluice.protocol.openai.generation.GeneratorOutputs;
import dev.sluice.protocol.openai.generation.OpenAiError;
import dev.sluice.protocol.openai.responses.ResponseWriter.Status;
import io.vertx.core.buffer.Buffer;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Writes the events of a response that is answered piece by piece: each has a name and a number, in
 * their order. One thread at a time.
 */
final class ResponseEvents {
  private final ResponseWriter writer;
  private boolean begun;
  private long number;

  ResponseEvents(ResponseWriter writer) {
    this.writer = writer;
  }

  /** Returns the events of the model's next response, which is borrowed. */
  Buffer next(InferenceResponse response) {
    var out = new JsonWriter(512);
    if (!begun) {
      begun = true;
      begin(out);
    }
    if (writer.answer().add(response)) {
      delta(out, response);
    }
    if (writer.answer().isOver()) {
      end(out, writer.ended());
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

  private void begin(JsonWriter out) {
    response(out, "response.created", Status.IN_PROGRESS, null);
    response(out, "response.in_progress", Status.IN_PROGRESS, null);
    item(out, "response.output_item.added", Status.IN_PROGRESS);
    part(out, "response.content_part.added", Status.IN_PROGRESS);
  }

  private void delta(JsonWriter out, InferenceResponse response) {
    ofPart(
        out,
        "response.output_text.delta",
        () -> {
          GeneratorOutputs.write(out.raw(",\"delta\":"), response, GeneratorOutputs.TEXT, "\"\"");
          out.raw(",\"logprobs\":[");
          if (ResponseAnswer.hasTokens(response)) {
            ChosenToken.write(out, ChosenToken.of(response));
          }
          out.raw(']');
        });
  }

  private void end(JsonWriter out, Status status) {
    ofPart(out, "response.output_text.done", () -> writer.answer().write(out.raw(',')));
    part(out, "response.content_part.done", status);
    item(out, "response.output_item.done", status);
    response(out, "response." + status.word(), status, null);
  }

  private void response(
      JsonWriter out, String type, Status status, @Nullable InferenceException failure) {
    event(out, type, () -> writer.write(out.raw(",\"response\":"), status, failure));
  }

  private void item(JsonWriter out, String type, Status status) {
    event(out, type, () -> writer.message(out.raw(",\"output_index\":0,\"item\":"), status));
  }

  private void part(JsonWriter out, String type, Status status) {
    ofPart(out, type, () -> writer.part(out.raw(",\"part\":"), status));
  }

  private void ofPart(JsonWriter out, String type, Runnable members) {
    event(
        out,
        type,
        () -> {
          writer.messageId(out.raw(",\"item_id\":"));
          out.raw(",\"output_index\":0,\"content_index\":0");
          members.run();
        });
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
}
