package dev.sluice.protocol.openai.responses;

import dev.sluice.protocol.codec.JsonCursor;
import dev.sluice.protocol.codec.JsonCursor.Kind;
import dev.sluice.protocol.codec.JsonWriter;
import dev.sluice.protocol.openai.generation.GenerationReader;
import dev.sluice.protocol.openai.generation.OpenAiError;
import dev.sluice.protocol.openai.tools.ToolFunction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads the functions that a model may call, and writes them as chat templates know them, and as a
 * response repeats them. One thread.
 */
final class ResponseTools {
  private static final List<String> MEMBERS = List.of("description", "parameters", "strict");

  private final GenerationReader reader;
  private final JsonCursor in;
  private final JsonWriter template = new JsonWriter(256);
  private final JsonWriter repeated = new JsonWriter(256);
  private final List<ToolFunction> functions = new ArrayList<>();

  /** The name of the function that was read last. */
  private String function = "";

  /**
   * Reads the next value.
   *
   * @throws dev.sluice.inference.InferenceException with INVALID_ARGUMENT if one of them is wrong,
   *     or is no function: the server runs no tools of its own
   */
  ResponseTools(GenerationReader reader, String name) {
    this.reader = reader;
    this.in = reader.in();
    if (in.peek() != Kind.ARRAY) {
      throw reader.wrong(name, "a list of functions");
    }
    in.beginArray();
    while (in.nextElement()) {
      tool("%s[%d]".formatted(name, functions.size()));
    }
  }

  /** Returns them as they are called. */
  List<ToolFunction> functions() {
    return functions;
  }

  /** Returns the list for the template; empty if there are none. */
  String template() {
    return functions.isEmpty() ? "" : template.raw(']').toBuffer().toString(StandardCharsets.UTF_8);
  }

  /** Returns the list for the response. */
  String repeated() {
    return functions.isEmpty()
        ? "[]"
        : repeated.raw(']').toBuffer().toString(StandardCharsets.UTF_8);
  }

  private void tool(String name) {
    if (in.peek() != Kind.OBJECT) {
      throw reader.wrong(name, "a function");
    }
    Map<String, String> members = members(name);
    if (!members.containsKey("type") || !members.containsKey("name")) {
      throw OpenAiError.parameter(name, "without a type or a name", "a function with both");
    }
    String before = functions.isEmpty() ? "[" : ",";
    template.raw(before).raw("{\"type\":\"function\",\"function\":{\"name\":");
    json(template, members.get("name"));
    repeated.raw(before).raw("{\"type\":\"function\",\"name\":");
    json(repeated, members.get("name"));
    for (String member : MEMBERS) {
      String json = members.get(member);
      if (json != null) {
        json(template.raw(',').key(member), json);
      }
      json(repeated.raw(',').key(member), json == null ? "null" : json);
    }
    template.raw("}}");
    repeated.raw('}');
    boolean strict = Boolean.parseBoolean(members.get("strict"));
    functions.add(new ToolFunction(function, members.getOrDefault("parameters", ""), strict));
  }

  private static void json(JsonWriter out, String json) {
    out.raw(GenerationReader.segment(json));
  }

  private String name(String called) {
    int from = in.position();
    function = reader.text(called);
    return in.text(from, in.position()).strip();
  }

  /** Returns the members of a function as JSON. */
  private Map<String, String> members(String name) {
    Map<String, String> members = new HashMap<>();
    in.beginObject();
    while (in.nextKey()) {
      String key = in.key();
      String called = name + "." + key;
      if (in.peek() == Kind.NULL) {
        in.nothing();
        continue;
      }
      switch (key) {
        case "type" -> members.put(key, reader.oneOf(called, List.of("function")));
        case "name" -> members.put(key, name(called));
        case "description" -> members.put(key, reader.json(called, Kind.STRING, "a text"));
        case "parameters" ->
            members.put(key, reader.json(called, Kind.OBJECT, "a schema, which is an object"));
        case "strict" -> members.put(key, Boolean.toString(reader.flag(called)));
        default -> in.skipValue();
      }
    }
    return members;
  }
}
