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
    var members = new Members(message);
    in.beginObject();
    while (in.nextKey()) {
      members.next(name + "." + in.key());
    }
    members.end(name);
  }

  /** The members of one message, each written as it is read. */
  private final class Members {
    private final JsonWriter message;
    private String before = "{";
    private boolean role;

    /** Whether it has a content, and whether that is null. */
    private boolean content;

    private boolean none;
    private boolean calls;

    Members(JsonWriter message) {
      this.message = message;
    }

    /**
     * Writes the next one.
     *
     * @param called what errors call it
     */
    void next(String called) {
      String key = in.key();
      if (in.peek() == Kind.NULL) {
        in.nothing();
        if (key.equals(CONTENT)) {
          begin(key).raw("null");
          none = true;
        }
        return;
      }
      switch (key) {
        case "role" -> {
          String who = templateRole(reader.oneOf(called, ROLES));
          begin(key).string(who);
          role = true;
        }
        case CONTENT -> {
          contents.copy(begin(key), called);
          content = true;
        }
        case "tool_calls" -> calls(called);
        default -> reader.copy(begin(key));
      }
    }

    private JsonWriter begin(String key) {
      message.raw(before).key(key);
      before = ",";
      return message;
    }

    private void calls(String called) {
      if (functions.calls(message, before, called)) {
        before = ",";
        calls = true;
      }
    }

    void end(String name) {
      require(name, role, content || calls);
      message.raw(content || none ? "}" : ",\"content\":null}");
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
