package dev.sluice.protocol.openai.responses;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.protocol.codec.JsonWriter;
import dev.sluice.protocol.openai.generation.OpenAiError;
import io.vertx.core.buffer.Buffer;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/** Writes a response, complete or as it is meanwhile. One thread at a time. */
final class ResponseWriter {
  private final String id;
  private final ResponseRequest request;
  private final ResponseAnswer answer;
  private final InstantSource clock;
  private final long created;

  /**
   * @param id what its name is made of
   * @param answer what the model says
   * @param clock tells when it was asked for, which is now, and when it is completed
   */
  ResponseWriter(String id, ResponseRequest request, ResponseAnswer answer, InstantSource clock) {
    this.id = id;
    this.request = request;
    this.answer = answer;
    this.clock = clock;
    this.created = clock.instant().getEpochSecond();
  }

  /** Returns the whole answer; borrows the only response. */
  Buffer whole(InferenceResponse response) {
    answer.add(response, OutputListener.NONE);
    var out = new JsonWriter(1024);
    write(out, answer.isCut() ? Status.INCOMPLETE : Status.COMPLETED, null);
    return out.toBuffer();
  }

  /**
   * Writes the response.
   *
   * @param failure why it failed, if it did
   */
  void write(JsonWriter out, Status status, @Nullable InferenceException failure) {
    out.raw("{\"id\":").string("resp_" + id).raw(",\"object\":\"response\",\"created_at\":");
    out.number(created).raw(",\"completed_at\":");
    if (status == Status.COMPLETED) {
      out.number(clock.instant().getEpochSecond());
    } else {
      out.raw("null");
    }
    out.raw(",\"status\":").string(status.word()).raw(",\"error\":");
    error(out, failure);
    out.raw(",\"incomplete_details\":");
    out.raw(status == Status.INCOMPLETE ? "{\"reason\":\"max_output_tokens\"}" : "null");
    out.raw(",\"model\":").string(request.model());
    if (status == Status.IN_PROGRESS || status == Status.FAILED) {
      out.raw(",\"output\":[],\"usage\":null");
    } else {
      answer.writeItems(out.raw(",\"output\":"));
      answer.writeUsage(out.raw(",\"usage\":"));
    }
    request.settings().write(out);
    out.raw('}');
  }

  private static void error(JsonWriter out, @Nullable InferenceException failure) {
    if (failure == null) {
      out.raw("null");
    } else {
      out.raw("{\"code\":").string(OpenAiError.word(failure));
      out.raw(",\"message\":").string(failure.getMessage()).raw('}');
    }
  }
}
