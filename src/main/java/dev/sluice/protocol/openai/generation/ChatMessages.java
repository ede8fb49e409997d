package dev.sluice.protocol.openai.generation;

import dev.sluice.protocol.codec.JsonCursor;
import dev.sluice.protocol.codec.JsonCursor.Kind;
import dev.sluice.protocol.codec.JsonWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the messages of a conversation, and writes them as chat templates know them: a developer is
 * the system, a content is one text, and a null is left out. One thread.
 */
public final class ChatMessages {
  private static final List<String> ROLES =
      List.of("system", "developer", "user", "assistant", "tool");

  private final GenerationReader reader;
  private final JsonCursor in;
  private final ChatFunctions functions;
  private final MessageContent contents;
  private final JsonWriter out = new JsonWriter(1024);

  ChatMessages(GenerationReader reader) {
    this.reader = reader;
    this.in = reader.in();
    this.functions = new ChatFunctions(reader);
    this.contents = new MessageContent(reader, List.of("text"));
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
        case "role" -> role = templateRole(reader.oneOf(name + ".role", ROLES));
        case "content" -> content = contents.read(name + ".content");
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
      throw OpenAiError.parameter(name + ".content", "missing", MessageContent.WANTED);
    }
  }

  /** Returns the name that templates have for who speaks. */
  public static String templateRole(String role) {
    return role.equals("developer") ? "system" : role;
  }
}
