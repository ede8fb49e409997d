package dev.sluice.boot.infer;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.DoubleNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.inference.Signature;
import java.util.Set;

/**
 * A record of the inference log, and the V2 request that it makes.
 *
 * @param line its number in the file
 * @param skipped why it cannot be sent; empty if it can
 */
record RecordedRequest(long line, JsonNode record, String skipped) {
  private static final JsonMapper JSON =
      JsonMapper.builder().disable(JsonWriteFeature.WRITE_NAN_AS_STRINGS).build();

  /** How the log writes what JSON has no number for. */
  private static final Set<String> NON_FINITE = Set.of("NaN", "Infinity", "-Infinity");

  /** Results that say nothing of the model. */
  private static final Set<String> CIRCUMSTANCES =
      Set.of("CANCELLED", "DEADLINE_EXCEEDED", "RESOURCE_EXHAUSTED", "UNAVAILABLE");

  static RecordedRequest read(long number, String line) {
    try {
      JsonNode record = JSON.readTree(line);
      return new RecordedRequest(number, record, whySkipped(record));
    } catch (JsonProcessingException e) {
      return new RecordedRequest(number, JsonNodeFactory.instance.objectNode(), "no record");
    }
  }

  private static String whySkipped(JsonNode record) {
    if (!record.path("model").isTextual() || !record.path("inputs").isArray()) {
      return "no record";
    }
    if (record.has("responses")) {
      return "a stream";
    }
    if (!record.path("signature").asText(Signature.DEFAULT).equals(Signature.DEFAULT)) {
      return "another signature than the default, which V2 does not name";
    }
    if (CIRCUMSTANCES.contains(record.path("status").asText())) {
      return "recorded as " + record.path("status").asText();
    }
    for (JsonNode input : record.path("inputs")) {
      String why = whyInputSkipped(input);
      if (!why.isEmpty()) {
        return why;
      }
    }
    return "";
  }

  private static String whyInputSkipped(JsonNode input) {
    if (input.has("omitted")) {
      return "an input without values: " + input.path("omitted").asText();
    }
    if (!input.isObject() || !input.path("data").isArray()) {
      return "no record";
    }
    for (JsonNode value : input.path("data")) {
      if (value.isObject()) {
        return "bytes that are no text";
      }
      if (value.isTextual() && isFloatingPoint(input) && !NON_FINITE.contains(value.asText())) {
        return "no record";
      }
    }
    return "";
  }

  private static boolean isFloatingPoint(JsonNode tensor) {
    return tensor.path("datatype").asText().matches("FP.*|BF16");
  }

  String model() {
    return record.path("model").asText();
  }

  /** Returns what the record is called in reports. */
  String name() {
    return "line " + line + ", request " + record.path("request_id").asText();
  }

  boolean isGood() {
    return record.path("status").asText().equals("OK");
  }

  /** Returns the request in V2's JSON. */
  byte[] body() {
    ObjectNode request = JsonNodeFactory.instance.objectNode();
    ArrayNode inputs = request.putArray("inputs");
    for (JsonNode recorded : record.path("inputs")) {
      ObjectNode input = recorded.deepCopy();
      inputs.add(input);
      if (isFloatingPoint(input)) {
        numbers((ArrayNode) input.path("data"));
      }
    }
    JsonNode wanted = record.path("wanted_outputs");
    if (!wanted.isEmpty()) {
      ArrayNode outputs = request.putArray("outputs");
      wanted.forEach(name -> outputs.addObject().set("name", name));
    }
    try {
      return JSON.writeValueAsBytes(request);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a tree is always JSON", e);
    }
  }

  /** NaN and infinities are texts in the log. */
  private static void numbers(ArrayNode data) {
    for (int i = 0; i < data.size(); i++) {
      if (data.get(i).isTextual()) {
        data.set(i, DoubleNode.valueOf(Double.parseDouble(data.get(i).asText())));
      }
    }
  }
}
