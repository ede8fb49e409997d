package dev.sluice.protocol.openai.responses;

import dev.sluice.protocol.codec.JsonWriter;
import dev.sluice.protocol.openai.generation.GenerationReader;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The members of a response that repeat what its request says, or show what holds where it says
 * nothing. One thread at a time.
 */
final class ResponseSettings {
  private final Map<String, String> members = new LinkedHashMap<>();

  ResponseSettings() {
    members.put("background", "false");
    members.put("frequency_penalty", "0");
    members.put("instructions", "null");
    members.put("max_output_tokens", "null");
    members.put("max_tool_calls", "null");
    members.put("metadata", "{}");
    members.put("parallel_tool_calls", "true");
    members.put("presence_penalty", "0");
    members.put("previous_response_id", "null");
    members.put("prompt_cache_key", "null");
    reasoning(null, null);
    members.put("safety_identifier", "null");
    members.put("service_tier", "\"default\"");
    members.put("store", "false");
    members.put("temperature", "1");
    members.put("text", "{\"format\":{\"type\":\"text\"}}");
    members.put("tool_choice", "\"auto\"");
    members.put("tools", "[]");
    members.put("top_logprobs", "0");
    members.put("top_p", "1");
    members.put("truncation", "\"disabled\"");
    members.put("user", "null");
  }

  /** Takes the JSON of a member's value. */
  void put(String name, String json) {
    // An event's data is one line. In JSON, a line ends between values only.
    members.put(name, json.replace('\n', ' ').replace('\r', ' '));
  }

  /** Takes how long the model is to think, and how that is to be summarised. */
  void reasoning(@Nullable String effort, @Nullable String summary) {
    members.put(
        "reasoning",
        "{\"effort\":%s,\"summary\":%s}".formatted(textOrNull(effort), textOrNull(summary)));
  }

  private static String textOrNull(@Nullable String text) {
    return text == null ? "null" : "\"" + text + "\"";
  }

  /** Writes the members, each with a comma in front. */
  void write(JsonWriter out) {
    members.forEach((name, json) -> out.raw(',').key(name).raw(GenerationReader.segment(json)));
  }
}
