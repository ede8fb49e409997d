package dev.sluice.protocol.openai.responses;

import dev.sluice.protocol.codec.JsonCursor;
import dev.sluice.protocol.codec.JsonCursor.Kind;
import dev.sluice.protocol.codec.JsonWriter;
import dev.sluice.protocol.openai.generation.ChatFunctions;
import dev.sluice.protocol.openai.generation.ChatMessages;
import dev.sluice.protocol.openai.generation.GenerationReader;
import dev.sluice.protocol.openai.generation.MessageContent;
import dev.sluice.protocol.openai.generation.OpenAiError;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the input of a response, and writes it as messages that chat templates know: what the
 * assistant says and the calls behind it are one message, and what a function gives is one of the
 * role tool. One thread.
 */
final class ResponseItems {
  private static final List<String> ROLES = List.of("user", "assistant", "system", "developer");

  private final GenerationReader reader;
  private final JsonCursor in;
  private final MessageContent contents;
  private final JsonWriter out = new JsonWriter(1024);
  private String before = "";

  /** What the assistant has said, in JSON, while calls may follow; null if it does not speak. */
  private @Nullable String said;

  /** Calls of the assistant's message, each with a comma in front. */
  private JsonWriter calls = new JsonWriter(64);

  ResponseItems(GenerationReader reader) {
    this.reader = reader;
    this.in = reader.in();
    this.contents = new MessageContent(reader, List.of("input_text", "output_text"));
  }

  /**
   * Returns the messages that the next value stands for, as the elements of a list in JSON.
   *
   * @throws dev.sluice.inference.InferenceException with INVALID_ARGUMENT if an item is wrong
   */
  String read(String name) {
    if (in.peek() == Kind.STRING) {
      write("user", content(name));
    } else if (in.peek() == Kind.ARRAY) {
      items(name);
    } else {
      throw reader.wrong(name, "a text, or a list of items");
    }
    return out.toBuffer().toString(StandardCharsets.UTF_8);
  }

  private void items(String name) {
    in.beginArray();
    int count = 0;
    while (in.nextElement()) {
      item("%s[%d]".formatted(name, count));
      count++;
    }
    if (count == 0) {
      throw OpenAiError.parameter(name, "empty", "one item at least");
    }
    endOfSpeech();
  }

  private void item(String name) {
    if (in.peek() != Kind.OBJECT) {
      throw reader.wrong(name, "an item");
    }
    int from = in.position();
    String type = type(name + ".type");
    in.seek(from);
    switch (type) {
      case "message" -> message(new Members(name));
      case "function_call" -> call(new Members(name));
      default -> output(new Members(name));
    }
  }

  /** Reads the type of an item; one without is a message. */
  private String type(String name) {
    String type = "message";
    in.beginObject();
    while (in.nextKey()) {
      if (in.keyIs("type")) {
        type = reader.oneOf(name, List.of("message", "function_call", "function_call_output"));
      } else {
        in.skipValue();
      }
    }
    return type;
  }

  private void message(Members message) {
    String role = ChatMessages.templateRole(message.get("role"));
    String content = message.get("content");
    endOfSpeech();
    if (role.equals("assistant")) {
      said = content;
    } else {
      write(role, content);
    }
  }

  private void call(Members call) {
    if (said == null) {
      said = "null";
    }
    calls.raw(",{\"id\":").string(call.get("call_id"));
    calls.raw(",\"type\":\"function\",\"function\":{\"name\":").string(call.get("name"));
    ChatFunctions.arguments(calls.raw(",\"arguments\":"), call.get("arguments"));
    calls.raw("}}");
  }

  private void output(Members output) {
    endOfSpeech();
    message("tool", output.get("output"));
    out.raw(",\"tool_call_id\":").string(output.get("call_id")).raw('}');
  }

  /** Writes what the assistant has said, and its calls. */
  private void endOfSpeech() {
    if (said != null) {
      message("assistant", said);
      if (calls.size() > 0) {
        var segment = GenerationReader.segment(calls.toBuffer().toString(StandardCharsets.UTF_8));
        out.raw(",\"tool_calls\":[").raw(segment.asSlice(1)).raw(']');
        calls = new JsonWriter(64);
      }
      out.raw('}');
      said = null;
    }
  }

  /** Returns the next value, a content, in JSON. */
  private String content(String name) {
    var content = new JsonWriter(64);
    contents.copy(content, name);
    return content.toBuffer().toString(StandardCharsets.UTF_8);
  }

  private void write(String role, String content) {
    message(role, content);
    out.raw('}');
  }

  /**
   * Writes a message, and leaves its object open.
   *
   * @param content in JSON
   */
  private void message(String role, String content) {
    out.raw(before).raw("{\"role\":").string(role).raw(",\"content\":");
    out.raw(GenerationReader.segment(content));
    before = ",";
  }

  /** The members of an item that count. */
  private final class Members {
    private final String name;
    private final Map<String, String> texts = new HashMap<>();

    /** Reads the next value. */
    Members(String name) {
      this.name = name;
      in.beginObject();
      while (in.nextKey()) {
        String key = in.key();
        if (in.peek() == Kind.NULL) {
          in.nothing();
        } else {
          member(key, name + "." + key);
        }
      }
    }

    private void member(String key, String called) {
      switch (key) {
        case "role" -> texts.put(key, reader.oneOf(called, ROLES));
        case "content", "output" -> texts.put(key, content(called));
        case "call_id", "name", "arguments" -> texts.put(key, reader.text(called));
        default -> in.skipValue();
      }
    }

    String get(String key) {
      String text = texts.get(key);
      if (text == null) {
        throw OpenAiError.parameter(name + "." + key, "missing", "it in an item of this type");
      }
      return text;
    }
  }
}
