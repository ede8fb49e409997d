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
  private final InstantSource clock;
  private final long created;
  private final ResponseAnswer answer = new ResponseAnswer();

  /** How far a response or an item of it is, in the protocol's words. */
  enum Status {
    IN_PROGRESS("in_progress"),
    COMPLETED("completed"),
    INCOMPLETE("incomplete"),
    FAILED("failed");

    private final String word;

    Status(String word) {
      this.word = word;
    }

    String word() {
      return word;
    }
  }

  /**
   * @param id what names are made of
   * @param clock tells when it was asked for, which is now, and when it is completed
   */
  ResponseWriter(String id, ResponseRequest request, InstantSource clock) {
    this.id = id;
    this.request = request;
    this.clock = clock;
    this.created = clock.instant().getEpochSecond();
  }

  /** Returns what the model has said, to which more may come. */
  ResponseAnswer answer() {
    return answer;
  }

  /** Returns how the answer is, which is over. */
  Status ended() {
    return answer.isCut() ? Status.INCOMPLETE : Status.COMPLETED;
  }

  /** Returns the whole answer; borrows the only response. */
  Buffer whole(InferenceResponse response) {
    boolean _ = answer.add(response);
    var out = new JsonWriter(1024);
    write(out, ended(), null);
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
    out.raw(",\"model\":").string(request.model()).raw(",\"output\":[");
    if (status == ended()) {
      message(out, status);
    }
    out.raw("],\"usage\":");
    if (status == ended()) {
      answer.usage(out);
    } else {
      out.raw("null");
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

  /** Writes the name of the message. */
  void messageId(JsonWriter out) {
    out.string("msg_" + id);
  }

  /** Writes the message; without its text while it is in progress. */
  void message(JsonWriter out, Status status) {
    messageId(out.raw("{\"id\":"));
    out.raw(",\"type\":\"message\",\"status\":").string(status.word());
    out.raw(",\"role\":\"assistant\",\"content\":[");
    if (status != Status.IN_PROGRESS) {
      part(out, status);
    }
    out.raw("]}");
  }

  /** Writes the only part of the message; without its text while it is in progress. */
  void part(JsonWriter out, Status status) {
    out.raw("{\"type\":\"output_text\",\"annotations\":[],");
    if (status == Status.IN_PROGRESS) {
      out.raw("\"text\":\"\",\"logprobs\":[]");
    } else {
      answer.write(out);
    }
    out.raw('}');
  }
}
