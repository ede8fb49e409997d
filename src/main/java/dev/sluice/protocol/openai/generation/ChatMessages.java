package dev.sluice.protocol.openai.generation;

import dev.sluice.protocol.codec.JsonCursor;
import dev.sluice.protocol.codec.JsonCursor.Kind;
import dev.sluice.protocol.codec.JsonWriter;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads the messages of a conversation, and writes them as chat templates know them: a developer is
 * the system, a content is one text, and a null is left out. One thread.
 */
final class ChatMessages {
  private static final Set<String> ROLES =
      Set.of("system", "developer", "user", "assistant", "tool");
  private static final String CONTENT = "a text, or a list of texts";

  private final GenerationReader reader;
  private final JsonCursor in;
  private final ChatFunctions functions;
  private final JsonWriter out = new JsonWriter(1024);

  ChatMessages(GenerationReader reader) {
    this.reader = reader;
    this.in = reader.in();
    this.functions = new ChatFunctions(reader);
  }

  /**
   * Returns the list of messages, which is next, as JSON.
   *
   * @throws dev.sluice.inference.InferenceException with INVALID_ARGUMENT if one of them is wrong
   */
  String read(String name) {
    if (in.peek() != Kind.ARRAY) {
      throw reader.wrong(name, "a list of messages");
    }
    in.beginArray();
    int count = 0;
    while (in.nextElement()) {
      message(out.raw(count == 0 ? '[' : ','), "%s[%d]".formatted(name, count));
      count++;
    }
    if (count == 0) {
      throw OpenAiError.parameter(name, "empty", "one message at least");
    }
    return out.raw(']').toBuffer().toString(StandardCharsets.UTF_8);
  }

  private void message(JsonWriter message, String name) {
    if (in.peek() != Kind.OBJECT) {
      throw reader.wrong(name, "a message");
    }
    String role = null;
    String content = null;
    boolean calls = false;
    message.raw('{');
    in.beginObject();
    while (in.nextKey()) {
      String key = in.key();
      if (in.peek() == Kind.NULL) {
        in.nothing();
        continue;
      }
      switch (key) {
        case "role" -> role = role(name + ".role");
        case "content" -> content = content(name + ".content");
        case "tool_calls" -> calls |= functions.calls(message, name + ".tool_calls");
        default -> reader.copy(message.key(key)).raw(',');
      }
    }
    require(name, role, content, calls);
    message.key("content").string(content == null ? "" : content).raw(',');
    message.key("role").string(role == null ? "" : role).raw('}');
  }

  private static void require(
      String name, @Nullable String role, @Nullable String content, boolean calls) {
    if (role == null) {
      throw OpenAiError.parameter(name + ".role", "missing", "who speaks");
    }
    if (content == null && !calls) {
      throw OpenAiError.parameter(name + ".content", "missing", CONTENT);
    }
  }

  private String role(String name) {
    int from = in.position();
    String role = in.peek() == Kind.STRING ? in.string().toText() : "";
    if (!ROLES.contains(role)) {
      in.seek(from);
      throw reader.wrong(name, "system, developer, user, assistant or tool");
    }
    return role.equals("developer") ? "system" : role;
  }

  private String content(String name) {
    if (in.peek() == Kind.STRING) {
      return in.string().toText();
    }
    if (in.peek() != Kind.ARRAY) {
      throw reader.wrong(name, CONTENT);
    }
    var text = new StringBuilder();
    in.beginArray();
    for (int i = 0; in.nextElement(); i++) {
      text.append(i == 0 ? "" : "\n").append(part("%s[%d]".formatted(name, i)));
    }
    return text.toString();
  }

  private String part(String name) {
    String type = "";
    String text = null;
    if (in.peek() != Kind.OBJECT) {
      throw reader.wrong(name, "a part of type text");
    }
    in.beginObject();
    while (in.nextKey()) {
      String key = in.key();
      boolean string = in.peek() == Kind.STRING;
      if (string && key.equals("type")) {
        type = in.string().toText();
      } else if (string && key.equals("text")) {
        text = in.string().toText();
      } else {
        in.skipValue();
      }
    }
    if (!type.equals("text") || text == null) {
      throw OpenAiError.parameter(
          name,
          type.equals("text") ? "without a text" : "of type '" + type + "'",
          "a part of type text");
    }
    return text;
  }
}
