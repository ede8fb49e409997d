package dev.sluice.protocol.openai.generation;

import dev.sluice.protocol.codec.JsonCursor;
import dev.sluice.protocol.codec.JsonCursor.Kind;
import dev.sluice.protocol.codec.JsonWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Reads the messages of a conversation, and writes them as chat templates know them, with their
 * members in the order in which they came: a developer is the system, a content that is not there
 * is null where the assistant calls functions, and any other null is left out. One thread.
 */
public final class ChatMessages {
  private static final List<String> ROLES =
      List.of("system", "developer", "user", "assistant", "tool");

  private static final String CONTENT = "content";

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
    String before = "{";
    boolean role = false;
    boolean content = false;
    boolean none = false;
    boolean calls = false;
    in.beginObject();
    while (in.nextKey()) {
      String key = in.key();
      boolean isNull = in.peek() == Kind.NULL;
      if (isNull && !key.equals(CONTENT)) {
        in.nothing();
        continue;
      }
      String called = name + "." + key;
      switch (key) {
        case "role" -> {
          String who = templateRole(reader.oneOf(called, ROLES));
          message.raw(before).key(key).string(who);
          role = true;
        }
        case CONTENT -> {
          content(message.raw(before).key(key), called);
          content = !isNull;
          none = isNull;
        }
        case "tool_calls" -> {
          boolean some = functions.calls(message, before, called);
          calls |= some;
          if (!some) {
            continue;
          }
        }
        default -> reader.copy(message.raw(before).key(key));
      }
      before = ",";
    }
    require(name, role, content || calls);
    message.raw(content || none ? "}" : ",\"content\":null}");
  }

  private void content(JsonWriter message, String name) {
    if (in.peek() == Kind.NULL) {
      in.nothing();
      message.raw("null");
    } else {
      contents.copy(message, name);
    }
  }

  private static void require(String name, boolean role, boolean says) {
    if (!role) {
      throw OpenAiError.parameter(name + ".role", "missing", "who speaks");
    }
    if (!says) {
      throw OpenAiError.parameter(name + ".content", "missing", MessageContent.WANTED);
    }
  }

  /** Returns the name that templates have for who speaks. */
  public static String templateRole(String role) {
    return role.equals("developer") ? "system" : role;
  }
}
