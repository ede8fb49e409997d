package dev.sluice.protocol.grps.http;

import dev.sluice.protocol.codec.JsonTensors;
import dev.sluice.protocol.codec.JsonWriter;
import dev.sluice.protocol.grps.GrpsStatus;
import dev.sluice.protocol.grps.ResponseForm;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.transport.http.HttpExchange;
import io.vertx.core.buffer.Buffer;
import java.util.List;

/**
 * The contract's message as JSON: compact, names in snake case, fields in the order of their
 * numbers, lists and names left out where they are empty.
 */
final class MessageJson {
  private static final int OVERHEAD = 256;

  private MessageJson() {}

  /** Answers with a status alone. */
  static void answer(HttpExchange http, GrpsStatus status) {
    http.json(status.code(), begin(status, 0).raw('}').toBuffer());
  }

  /** Answers with text. */
  static void answerText(HttpExchange http, String text) {
    http.json(
        GrpsStatus.OK.code(),
        begin(GrpsStatus.OK, text.length()).raw(",\"str_data\":").string(text).raw('}').toBuffer());
  }

  /** Begins a message: the caller adds data and the closing brace. */
  static JsonWriter begin(GrpsStatus status, long likelySize) {
    var out = new JsonWriter((int) Math.min(likelySize + OVERHEAD, Integer.MAX_VALUE - 8L));
    return out.raw("{\"status\":{\"code\":")
        .number(status.code())
        .raw(",\"msg\":")
        .string(status.message())
        .raw(",\"status\":\"")
        .raw(status.flag())
        .raw("\"}");
  }

  /**
   * Begins a successful message.
   *
   * @param model the model's name in it; empty if there is none
   */
  static JsonWriter succeed(String model, long likelySize) {
    JsonWriter out = begin(GrpsStatus.OK, likelySize);
    return model.isEmpty() ? out : out.raw(",\"model\":").string(model);
  }

  /** Returns a successful message with tensors. */
  static Buffer tensors(String model, List<NamedTensor> tensors) {
    long size = 0;
    for (NamedTensor tensor : tensors) {
      size += JsonTensors.likelySize(tensor.tensor()) + OVERHEAD;
    }
    JsonWriter out = succeed(model, size).raw(",\"gtensors\":{");
    TensorJson.list(tensors, out);
    return out.raw("}}").toBuffer();
  }

  /** Returns a successful message with a map of tensors of one element. */
  static Buffer map(String model, ResponseForm.Entries entries) {
    JsonWriter out = succeed(model, 0).raw(",\"gmap\":{");
    GmapJson.entries(entries, out);
    return out.raw("}}").toBuffer();
  }
}
