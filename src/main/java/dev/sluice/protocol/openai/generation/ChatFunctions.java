package dev.sluice.protocol.openai.generation;

import dev.sluice.protocol.codec.JsonCursor;
import dev.sluice.protocol.codec.JsonCursor.Kind;
import dev.sluice.protocol.codec.JsonException;
import dev.sluice.protocol.codec.JsonWriter;
import dev.sluice.transport.Body;
import java.nio.charset.StandardCharsets;

/** Reads the functions that a model may call, and the calls in a conversation. One thread. */
public final class ChatFunctions {
  private static final String FUNCTION = "function";
  private static final String WANTED = "an object with a function, which has a name";

  private final GenerationReader reader;
  private final JsonCursor in;

  ChatFunctions(GenerationReader reader) {
    this.reader = reader;
    this.in = reader.in();
  }

  /**
   * Returns the list of functions, which is next, as JSON; empty if there are none.
   *
   * @throws dev.sluice.inference.InferenceException with INVALID_ARGUMENT if one of them is wrong
   */
  String tools(String name) {
    int from = in.position();
    requireArray(name, "a list of functions");
    int count = 0;
    while (in.nextElement()) {
      requireFunction("%s[%d]".formatted(name, count));
      count++;
    }
    return count == 0 ? "" : in.text(from, in.position());
  }

  /**
   * Writes the calls of a message as a member of it. Arguments become objects.
   *
   * @param before what is written in front of the member
   * @return whether there are any
   */
  boolean calls(JsonWriter message, String before, String name) {
    requireArray(name, "a list of calls");
    int count = 0;
    while (in.nextElement()) {
      int from = in.position();
      requireFunction("%s[%d]".formatted(name, count));
      in.seek(from);
      if (count == 0) {
        message.raw(before).key("tool_calls");
      }
      call(message.raw(count == 0 ? '[' : ','));
      count++;
    }
    // Templates ask whether a message has calls, not how many.
    message.raw(count == 0 ? "" : "]");
    return count > 0;
  }

  private void requireArray(String name, String wanted) {
    if (in.peek() != Kind.ARRAY) {
      throw reader.wrong(name, wanted);
    }
    in.beginArray();
  }

  private void requireFunction(String name) {
    if (in.peek() != Kind.OBJECT) {
      throw reader.wrong(name, WANTED);
    }
    boolean named = false;
    in.beginObject();
    while (in.nextKey()) {
      if (in.keyIs(FUNCTION) && in.peek() == Kind.OBJECT) {
        named = isNamed(name + ".function");
      } else {
        in.skipValue();
      }
    }
    if (!named) {
      throw OpenAiError.parameter(name, "no function with a name", WANTED);
    }
  }

  private boolean isNamed(String function) {
    boolean named = false;
    in.beginObject();
    while (in.nextKey()) {
      named |= in.keyIs("name") && in.peek() == Kind.STRING;
      if (in.keyIs("strict") && in.peek() != Kind.NULL) {
        boolean _ = reader.flag(function + ".strict");
      } else {
        in.skipValue();
      }
    }
    return named;
  }

  private void call(JsonWriter out) {
    String before = "{";
    in.beginObject();
    while (in.nextKey()) {
      String key = in.key();
      out.raw(before).key(key);
      if (key.equals(FUNCTION) && in.peek() == Kind.OBJECT) {
        function(out);
      } else {
        reader.copy(out);
      }
      before = ",";
    }
    out.raw('}');
  }

  private void function(JsonWriter out) {
    String before = "{";
    in.beginObject();
    while (in.nextKey()) {
      String key = in.key();
      out.raw(before).key(key);
      if (key.equals("arguments") && in.peek() == Kind.STRING) {
        arguments(out, in.string().toText());
      } else {
        reader.copy(out);
      }
      before = ",";
    }
    out.raw('}');
  }

  /** Writes the object in a text. What a model has written that is none stays the text it is. */
  public static void arguments(JsonWriter out, String text) {
    if (text.isBlank()) {
      out.raw("{}");
    } else if (isObject(text)) {
      out.raw(GenerationReader.segment(text));
    } else {
      out.string(text);
    }
  }

  private static boolean isObject(String text) {
    var json = new JsonCursor(Body.of(text.getBytes(StandardCharsets.UTF_8)));
    try {
      if (json.peek() != Kind.OBJECT) {
        return false;
      }
      json.skipValue();
      json.finish();
      return true;
    } catch (JsonException _) {
      return false;
    }
  }
}
