package dev.sluice.boot.inferencelog;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.sluice.boot.log.LineFormat;
import dev.sluice.boot.log.TextLayout;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Instant;
import java.util.List;

/** One JSON object for each call. */
final class RecordLines implements LineFormat<RecordedCall> {
  private static final JsonFactory JSON =
      new JsonFactory().disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
  private static final double NANOS_PER_MILLI = 1e6;

  @Override
  public void append(RecordedCall call, ByteArrayOutputStream lines) throws IOException {
    try (JsonGenerator json = JSON.createGenerator(lines)) {
      json.writeStartObject();
      head(call, json);
      json.writeFieldName("inputs");
      TensorJson.write(call.inputs(), json);
      if (!call.wanted().isEmpty()) {
        json.writeFieldName("wanted_outputs");
        json.writeArray(call.wanted().toArray(String[]::new), 0, call.wanted().size());
      }
      answer(call, json);
      json.writeEndObject();
    }
    lines.write('\n');
  }

  private static void head(RecordedCall call, JsonGenerator json) throws IOException {
    json.writeStringField("time", TextLayout.TIME.format(Instant.ofEpochMilli(call.beganMillis())));
    json.writeStringField("request_id", call.requestId());
    json.writeStringField("model", call.model().name());
    json.writeNumberField("version", call.model().version());
    json.writeStringField("signature", call.signature());
    json.writeNumberField("duration_ms", call.nanos() / NANOS_PER_MILLI);
    json.writeStringField("status", call.error() == null ? "OK" : call.error().name());
    if (call.error() != null) {
      json.writeStringField("message", call.message());
    }
  }

  private static void answer(RecordedCall call, JsonGenerator json) throws IOException {
    if (call.isStreamed()) {
      json.writeArrayFieldStart("responses");
      for (List<RecordedTensor> response : call.responses()) {
        TensorJson.write(response, json);
      }
      json.writeEndArray();
      if (call.moreResponses() > 0) {
        json.writeNumberField("more_responses", call.moreResponses());
      }
    } else if (!call.responses().isEmpty()) {
      json.writeFieldName("outputs");
      TensorJson.write(call.responses().getFirst(), json);
    }
  }
}
